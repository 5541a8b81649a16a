//! What happens to secrets: none is written unasked, and none is kept.

#[cfg(test)]
mod secrets {
    mod sanitise;
    mod secret_writing;
}
