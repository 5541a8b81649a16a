//! A small but complete agent on the lifecycle driver.
