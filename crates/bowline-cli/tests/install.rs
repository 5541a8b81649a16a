//! Putting Bowline into an agent's settings, checking that it works there, pausing it, and taking it out again: the real
//! binary in a home of its own, with a shell script in the place of `bowline-hook`.

#[cfg(test)]
mod install {
    mod cline;
    mod control;
    mod daemon;
    mod direct;
    mod doctor;
    mod in_force;
    mod init;
    mod installed;
    mod pause;
    mod preset;
    mod test;
    mod uninstall;
}
