//! What tools get so that they can fire hooks of their own.
