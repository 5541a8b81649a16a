//! Splits a shell line into simple commands.
