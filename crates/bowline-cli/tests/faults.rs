//! What becomes of answers and records when processes are killed, files are damaged and disks are full: the real programs,
//! end to end, in a home of their own.

#[cfg(test)]
mod faults {
    mod audit;
    mod damaged;
    mod full;
    #[cfg(target_os = "linux")]
    mod hung;
    mod killed;
    mod limits;
    mod load;
    mod locked;
    mod logged;
    mod newer;
    mod places;
    mod programs;
    mod stage;
    mod together;
}
