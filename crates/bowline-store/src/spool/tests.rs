use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

use chrono::Utc;

use super::*;

fn record(id: &str) -> Record {
    Record::new(id, Utc::now(), "agent", "PreToolUse", "session")
}

fn drain(spool: &mut Spool, step: usize) -> Vec<String> {
    let mut ids = Vec::new();
    loop {
        let records = spool.peek(step);
        if records.is_empty() {
            return ids;
        }
        ids.extend(records.into_iter().map(|record| record.decided.id));
        spool.advance();
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default()
}

fn numbers(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| n.to_string()).collect()
}

#[test]
fn what_waits_comes_back_in_order_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    for n in 0..100 {
        assert_eq!(
            spool.append([&record(&n.to_string())]),
            [Spooled::Kept(SpoolMedium::Data)]
        );
    }
    assert_eq!(spool.records(), 100);
    assert_eq!(drain(&mut spool, 7), numbers(0..100));
    assert!(spool.is_empty());
    assert_eq!((spool.records(), spool.bytes()), (0, 0));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn what_was_looked_at_but_not_taken_comes_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    spool.append([&record("a"), &record("b")]);
    assert_eq!(spool.peek(1)[0].decided.id, "a");
    assert_eq!(spool.peek(1)[0].decided.id, "a");
    spool.advance();
    assert_eq!(drain(&mut spool, 10), ["b"]);
}

#[test]
fn a_second_process_takes_over_only_what_nobody_holds() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = Spool::open(SpoolOptions::new(folder.path()));
    first.append([&record("a")]);
    let mut second = Spool::open(SpoolOptions::new(folder.path()));
    assert!(second.is_empty(), "the first still holds its file");
    drop(first);
    second.take_over();
    assert_eq!(second.records(), 1);
    second.append([&record("b")]);
    assert_eq!(drain(&mut second, 10), ["a", "b"]);
}

#[test]
fn a_file_is_nobodys_to_take_over_before_its_owner_has_locked_it() {
    let folder = tempfile::tempdir().unwrap();
    let made = file::UnlockedFile::make(SpoolMedium::Data, folder.path(), 1).unwrap();
    // Another process opens the spool between the two steps.
    let mut other = Spool::open(SpoolOptions::new(folder.path()));
    assert!(other.is_empty());
    assert!(other.peek(1).is_empty());
    let mut own = made.lock().unwrap();
    own.append(&file::line(&record("a")).unwrap(), 1).unwrap();
    other.take_over();
    assert!(other.is_empty(), "the owner lives");
    drop(own);
    other.take_over();
    assert_eq!(drain(&mut other, 10), ["a"]);
}

#[test]
fn a_file_that_was_removed_before_it_was_locked_is_not_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let made = file::UnlockedFile::make(SpoolMedium::Data, folder.path(), 1).unwrap();
    fs::remove_file(files(folder.path()).remove(0)).unwrap();
    made.lock().unwrap_err();
}

#[test]
fn a_file_that_nobody_ever_locked_is_removed_after_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
    let young = file::UnlockedFile::make(SpoolMedium::Data, folder.path(), 1).unwrap();
    let old = folder.path().join("1-1-000001.new");
    fs::File::create(&old)
        .unwrap()
        .set_modified(long_ago)
        .unwrap();
    drop(Spool::open(SpoolOptions::new(folder.path())));
    assert!(!old.exists());
    assert_eq!(files(folder.path()).len(), 1);
    drop(young);
}

#[test]
fn many_files_are_taken_over_a_few_at_a_time_and_in_order() {
    const FILES: u32 = 200;
    let folder = tempfile::tempdir().unwrap();
    for n in 0..FILES {
        let text = file::line(&record(&n.to_string())).unwrap();
        fs::write(folder.path().join(format!("{n:04}.spool")), text).unwrap();
    }
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    spool.append([&record("200")]);
    let mut ids = Vec::new();
    loop {
        assert!(spool.segments.len() <= TAKEN_AT_ONCE + 1);
        let records = spool.peek(10);
        if records.is_empty() {
            break;
        }
        ids.extend(records.into_iter().map(|record| record.decided.id));
        spool.advance();
    }
    assert_eq!(ids, numbers(0..FILES + 1));
    assert!(spool.is_empty() && files(folder.path()).is_empty());
    assert_eq!((spool.records(), spool.bytes()), (0, 0));
}

#[test]
fn a_file_that_cannot_be_read_now_is_neither_damaged_nor_removed() {
    let folder = tempfile::tempdir().unwrap();
    for (name, id) in [("1", "a"), ("2", "b")] {
        let text = file::line(&record(id)).unwrap();
        fs::write(folder.path().join(format!("{name}.spool")), text).unwrap();
    }
    // It cannot be read at all, and so not even counted.
    fs::create_dir(folder.path().join("0.spool")).unwrap();
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    let Some(Segment::File(first)) = spool.segments.front_mut() else {
        panic!("there are two files");
    };
    // The descriptor is for writing alone, so that every attempt to read fails.
    let deaf = OpenOptions::new().append(true).open(first.path()).unwrap();
    first.read_by(deaf);
    assert_eq!(drain(&mut spool, 10), ["b"]);
    assert_eq!(spool.take_damaged(), 0);
    assert_eq!((spool.records(), spool.bytes()), (0, 0));
    // Whoever looks later finds it as it was.
    spool.take_over();
    assert_eq!(drain(&mut spool, 10), ["a"]);
    assert_eq!(spool.take_damaged(), 0);
}

#[test]
fn a_torn_tail_is_ignored_and_a_damaged_line_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    spool.append([&record("a"), &record("b"), &record("c")]);
    drop(spool);
    let path = files(folder.path()).remove(0);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"b\"", "\"x\"", 1)).unwrap();
    let half = file::line(&record("d")).unwrap();
    OpenOptions::new()
        .append(true)
        .open(&path)
        .unwrap()
        .write_all(&half.as_bytes()[..half.len() / 2])
        .unwrap();

    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    assert_eq!(drain(&mut spool, 10), ["a", "c"]);
    assert_eq!(spool.take_damaged(), 1, "the torn tail is no loss");
    assert!(files(folder.path()).is_empty());
}

#[test]
fn rubbish_files_of_any_kind_are_survived() {
    let folder = tempfile::tempdir().unwrap();
    for (n, bytes) in [
        &b""[..],
        b"\n\n\n",
        b"\xff\xfe\x00",
        b"0123456789abcdef {}\n",
    ]
    .iter()
    .enumerate()
    {
        fs::write(folder.path().join(format!("{n}.spool")), bytes).unwrap();
    }
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    spool.append([&record("a")]);
    assert_eq!(drain(&mut spool, 10), ["a"]);
    assert!(spool.is_empty() && files(folder.path()).is_empty());
    assert_eq!((spool.records(), spool.bytes()), (0, 0));
}

#[test]
fn what_follows_a_file_without_records_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let whole = |id: &str| file::line(&record(id)).unwrap();
    let torn = whole("torn").trim_end().to_owned();
    let damaged = "0123456789abcdef {}\n".repeat(300_000);
    assert!(damaged.len() > 4 * 1024 * 1024, "more than is read at once");
    for (name, text) in [
        ("0", String::new()),
        ("1", whole("a")),
        ("2", torn),
        ("3", String::new()),
        ("4", whole("b")),
        ("5", damaged + &whole("c")),
        ("6", whole("d")),
    ] {
        fs::write(folder.path().join(format!("{name}.spool")), text).unwrap();
    }
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    assert_eq!(drain(&mut spool, 10), ["a", "b", "c", "d"]);
    assert_eq!(spool.take_damaged(), 300_000);
    assert!(spool.is_empty() && files(folder.path()).is_empty());
    assert_eq!((spool.records(), spool.bytes()), (0, 0));
}

#[test]
fn beyond_the_cap_the_oldest_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let one = file::line(&record("0")).unwrap().len() as u64;
    let options = SpoolOptions {
        max_bytes: one * 10 + one / 2,
        ..SpoolOptions::new(folder.path())
    };
    let mut spool = Spool::open(options);
    let records: Vec<Record> = (0..10).map(|n| record(&n.to_string())).collect();
    let results = spool.append(&records);
    assert_eq!(results, [Spooled::Kept(SpoolMedium::Data); 10]);
    assert_eq!(spool.append([&record("x")]), [Spooled::Dropped]);
    assert_eq!(drain(&mut spool, 3), numbers(0..10));
    assert_eq!(
        spool.append([&record("y")]),
        [Spooled::Kept(SpoolMedium::Data)]
    );
}

#[test]
fn files_that_are_not_taken_over_yet_count_for_the_cap() {
    let folder = tempfile::tempdir().unwrap();
    let line = file::line(&record("0")).unwrap();
    for n in 0..100 {
        fs::write(folder.path().join(format!("{n:04}.spool")), &line).unwrap();
    }
    let options = SpoolOptions {
        max_bytes: line.len() as u64 * 100,
        ..SpoolOptions::new(folder.path())
    };
    let mut spool = Spool::open(options);
    assert_eq!(spool.append([&record("x")]), [Spooled::Dropped]);
    assert_eq!(drain(&mut spool, 10).len(), 100);
    assert_eq!(
        spool.append([&record("y")]),
        [Spooled::Kept(SpoolMedium::Data)]
    );
}

#[test]
fn without_a_data_folder_the_runtime_folder_then_memory_is_used() {
    let place = tempfile::tempdir().unwrap();
    // A file stands where the folder should be: this cannot be written by anybody, not even by root.
    let blocked = place.path().join("file");
    fs::write(&blocked, "").unwrap();
    let runtime = place.path().join("runtime");
    let mut options = SpoolOptions::new(blocked.join("spool"));
    options.runtime = Some(runtime.clone());
    let mut spool = Spool::open(options.clone());
    assert_eq!(
        spool.append([&record("a")]),
        [Spooled::Kept(SpoolMedium::Runtime)]
    );
    drop(spool);

    let mut spool = Spool::open(options.clone());
    assert_eq!(drain(&mut spool, 10), ["a"]);

    options.runtime = Some(blocked.join("runtime"));
    options.max_memory = 2_000;
    let mut spool = Spool::open(options);
    let records: Vec<Record> = (0..100).map(|n| record(&n.to_string())).collect();
    let results = spool.append(&records);
    let kept = u32::try_from(
        results
            .iter()
            .take_while(|result| **result == Spooled::Kept(SpoolMedium::Memory))
            .count(),
    )
    .unwrap();
    assert!((2..20).contains(&kept), "{kept}");
    assert_eq!(results.last(), Some(&Spooled::Dropped));
    assert_eq!(drain(&mut spool, 3), numbers(0..kept));
    assert!(spool.is_empty());
}

#[test]
fn a_note_survives_its_process_until_it_is_struck() {
    let folder = tempfile::tempdir().unwrap();
    let size = || -> Vec<u64> {
        let sizes = files(folder.path()).into_iter();
        sizes.map(|file| file.metadata().unwrap().len()).collect()
    };
    let mut spool = Spool::open(SpoolOptions::new(folder.path()));
    for id in ["a", "b"] {
        assert!(spool.note(&record(id)));
        assert!(size()[0] > 0);
        assert!(spool.is_empty(), "nothing waits to be read back");
        // Somebody else leaves it alone.
        assert!(Spool::open(SpoolOptions::new(folder.path())).is_empty());
        spool.strike_note();
        assert_eq!(size(), [0], "the same file, and nothing in it");
    }
    assert!(spool.note(&record("c")));
    drop(spool);
    let mut next = Spool::open(SpoolOptions::new(folder.path()));
    assert_eq!(drain(&mut next, 10), ["c"]);

    // One that could not be committed waits before everything that comes later.
    assert!(next.note(&record("d")));
    next.keep_note();
    assert!(!next.note(&record("e")), "something waits");
    next.append([&record("e")]);
    assert_eq!(next.records(), 2);
    assert_eq!(drain(&mut next, 10), ["d", "e"]);
    assert!(next.note(&record("f")));
    next.strike_note();
    drop(next);
    assert!(files(folder.path()).is_empty());
}

#[test]
fn a_note_that_cannot_be_written_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    fs::write(&blocked, "").unwrap();
    let mut spool = Spool::open(SpoolOptions::new(blocked.join("spool")));
    assert!(!spool.note(&record("a")));
    spool.strike_note();
    spool.keep_note();
    assert!(spool.is_empty());
}

#[test]
fn a_note_goes_to_a_new_file_when_somebody_removed_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("spool");
    let mut spool = Spool::open(SpoolOptions::new(&data));
    assert!(spool.note(&record("a")));
    spool.strike_note();
    fs::remove_dir_all(&data).unwrap();
    assert!(spool.note(&record("b")));
    spool.keep_note();
    spool.append([&record("c")]);
    assert_eq!(drain(&mut spool, 10), ["b", "c"]);
    assert_eq!(spool.take_damaged(), 0);
}
