//! The agent, against a scripted model on loopback.
#![cfg(feature = "agent")]

#[cfg(test)]
mod agent {
    mod end_to_end;
    mod scripted_model;
}
