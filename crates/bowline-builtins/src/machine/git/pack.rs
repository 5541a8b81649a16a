//! Packs: many objects in one file, with an index beside it. Both are read in places, never as a whole.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::budget::{Budget, open};
use super::delta;
use super::object::{Kind, MAX_OBJECT, Object};
use super::object_id::{ObjectId, Prefix};
use crate::machine::look::Links;

/// Differences upon differences: git makes no more than 50 by itself.
const MAX_DEPTH: usize = 512;

const FAN_OUT: u64 = 8;
const NAMES: u64 = FAN_OUT + 4 * 256;
/// A name, a checksum and a place.
const PER_OBJECT: u64 = ID + 4 + 4;
const ID: u64 = ObjectId::BYTES as u64;
/// What follows the lists of an index.
const CHECKSUMS: u64 = 2 * ID;
/// Marks a place that is kept in the list of large ones.
const LARGE: u32 = 0x8000_0000;
/// The longest header of an object in a pack: a length and the name or place of its base.
const ENTRY_HEADER: usize = 48;

#[derive(Debug)]
pub(super) struct Pack {
    index: File,
    index_end: u64,
    /// How many names start with each byte or a lower one.
    fan_out: Vec<u32>,
    path: PathBuf,
    /// Opened when something is read from it: most packs are only asked what they have.
    data: OnceLock<Option<Data>>,
    /// What other objects of the pack were put together from.
    bases: Mutex<HashMap<u64, Arc<Object>>>,
}

#[derive(Debug)]
struct Data {
    file: File,
    end: u64,
}

/// How an object is written in a pack.
enum Form {
    Whole(Kind),
    FromPlace(u64),
    FromObject(ObjectId),
}

struct Entry {
    form: Form,
    length: usize,
    data: u64,
}

impl Pack {
    /// Opens a pack by the path of its index.
    pub(super) fn open(index_path: &Path, budget: &Budget) -> Option<Self> {
        budget.file()?;
        let index = open(index_path, Links::Follow).ok()?;
        let index_end = index.metadata().ok()?.len().checked_sub(CHECKSUMS)?;
        let mut head = [0; 8 + 4 * 256];
        index.read_exact_at(&mut head, 0).ok()?;
        let (magic, table) = head.split_at_checked(8)?;
        if magic != b"\xfftOc\0\0\0\x02" {
            return None;
        }
        let fan_out: Vec<u32> = table.chunks_exact(4).filter_map(be_u32).collect();
        let count = *fan_out.last()?;
        let lists = u64::from(count) * PER_OBJECT;
        if !fan_out.is_sorted() || index_end < NAMES + lists {
            return None;
        }
        Some(Self {
            index,
            index_end,
            fan_out,
            path: index_path.with_extension("pack"),
            data: OnceLock::new(),
            bases: Mutex::default(),
        })
    }

    /// The object `id`, if the pack has it. That it is the right one is for the caller to check.
    pub(super) fn read(&self, id: ObjectId, budget: &Budget) -> Option<Arc<Object>> {
        self.object_at(self.place_of(id, budget)?, budget)
    }

    /// The names that start with `prefix`, up to `most`; `None` if they cannot be read.
    pub(super) fn names(
        &self,
        prefix: &Prefix,
        most: usize,
        budget: &Budget,
    ) -> Option<Vec<ObjectId>> {
        let mut at = self.position(prefix.least(), budget)?;
        let mut found = Vec::new();
        while at < self.count() && found.len() < most {
            let name = self.name_at(at, budget)?;
            if !prefix.begins(&name) {
                break;
            }
            found.extend(ObjectId::from_bytes(&name));
            at += 1;
        }
        Some(found)
    }

    fn count(&self) -> u32 {
        self.fan_out.last().copied().unwrap_or(0)
    }

    /// Where in the pack an object lies.
    fn place_of(&self, id: ObjectId, budget: &Budget) -> Option<u64> {
        let at = self.position(id.bytes(), budget)?;
        if at >= self.count() || &self.name_at(at, budget)? != id.bytes() {
            return None;
        }
        let count = u64::from(self.count());
        let small = NAMES + count * (ID + 4) + 4 * u64::from(at);
        let place = be_u32(&self.index_bytes::<4>(small, budget)?)?;
        if place & LARGE == 0 {
            return Some(u64::from(place));
        }
        let large = NAMES + count * PER_OBJECT + 8 * u64::from(place & !LARGE);
        Some(u64::from_be_bytes(self.index_bytes::<8>(large, budget)?))
    }

    /// The position of the first name that does not come before `key`.
    fn position(&self, key: &[u8; ObjectId::BYTES], budget: &Budget) -> Option<u32> {
        let first = usize::from(*key.first()?);
        let mut low = match first.checked_sub(1) {
            Some(before) => *self.fan_out.get(before)?,
            None => 0,
        };
        let mut high = *self.fan_out.get(first)?;
        while low < high {
            let middle = low + (high - low) / 2;
            if &self.name_at(middle, budget)? < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Some(low)
    }

    fn name_at(&self, at: u32, budget: &Budget) -> Option<[u8; ObjectId::BYTES]> {
        self.index_bytes(NAMES + ID * u64::from(at), budget)
    }

    fn index_bytes<const COUNT: usize>(&self, at: u64, budget: &Budget) -> Option<[u8; COUNT]> {
        if at.checked_add(COUNT as u64)? > self.index_end {
            return None;
        }
        budget.read()?;
        let mut bytes = [0; COUNT];
        self.index.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    /// Unpacks the object at a place: goes down to what it was made from, then puts it together.
    fn object_at(&self, place: u64, budget: &Budget) -> Option<Arc<Object>> {
        let mut deltas = Vec::new();
        let mut at = place;
        let mut object = loop {
            if let Some(known) = self.base(at) {
                break known;
            }
            if deltas.len() > MAX_DEPTH {
                return None;
            }
            let entry = self.entry(at, budget)?;
            let data = self.inflate(&entry, budget)?;
            let below = match entry.form {
                Form::Whole(kind) => break Arc::new(Object { kind, data }),
                Form::FromPlace(below) => below,
                Form::FromObject(id) => self.place_of(id, budget)?,
            };
            deltas.push((at, data));
            at = below;
        };
        if !deltas.is_empty() {
            self.keep(at, &object);
        }
        for (at, delta) in deltas.into_iter().rev() {
            let data = delta::apply(&object.data, &delta)?;
            budget.bytes(data.len())?;
            object = Arc::new(Object {
                kind: object.kind,
                data,
            });
            self.keep(at, &object);
        }
        Some(object)
    }

    fn base(&self, place: u64) -> Option<Arc<Object>> {
        let bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        bases.get(&place).cloned()
    }

    fn keep(&self, place: u64, object: &Arc<Object>) {
        let mut bases = self.bases.lock().unwrap_or_else(PoisonError::into_inner);
        bases.insert(place, Arc::clone(object));
    }

    fn entry(&self, place: u64, budget: &Budget) -> Option<Entry> {
        budget.read()?;
        let mut bytes = [0; ENTRY_HEADER];
        let header = self.pack_bytes(place, &mut bytes)?;
        let mut rest = header.iter().copied();
        let first = rest.next()?;
        let mut length = usize::from(first & 0x0f);
        let mut shift = 4;
        let mut more = first & 0x80 != 0;
        while more {
            let byte = rest.next()?;
            // Beyond this no object is read anyway.
            if shift > 25 {
                return None;
            }
            length |= usize::from(byte & 0x7f) << shift;
            shift += 7;
            more = byte & 0x80 != 0;
        }
        if length > MAX_OBJECT {
            return None;
        }
        let form = match first >> 4 & 7 {
            1 => Form::Whole(Kind::Commit),
            2 => Form::Whole(Kind::Tree),
            3 => Form::Whole(Kind::Blob),
            4 => Form::Whole(Kind::Tag),
            6 => {
                let back = distance(&mut rest).filter(|back| *back > 0)?;
                Form::FromPlace(place.checked_sub(back)?)
            }
            7 => {
                let id: Vec<u8> = rest.by_ref().take(ObjectId::BYTES).collect();
                Form::FromObject(ObjectId::from_bytes(&id)?)
            }
            _ => return None,
        };
        let used = header.len() - rest.len();
        Some(Entry {
            form,
            length,
            data: place.checked_add(used as u64)?,
        })
    }

    fn inflate(&self, entry: &Entry, budget: &Budget) -> Option<Vec<u8>> {
        budget.bytes(entry.length)?;
        budget.read()?;
        // What cannot be made smaller is stored in blocks, each with a few bytes of its own.
        let mut bytes = vec![0; entry.length + entry.length / 64 + 128];
        let packed = self.pack_bytes(entry.data, &mut bytes)?;
        let data = decompress_to_vec_zlib_with_limit(packed, entry.length).ok()?;
        (data.len() == entry.length).then_some(data)
    }

    fn open_data(&self) -> Option<Data> {
        let file = open(&self.path, Links::Follow).ok()?;
        let end = file.metadata().ok()?.len().checked_sub(ID)?;
        let mut head = [0; 12];
        file.read_exact_at(&mut head, 0).ok()?;
        let (magic, count) = head.split_at_checked(8)?;
        let known = [b"PACK\0\0\0\x02", b"PACK\0\0\0\x03"];
        let is_known = known.iter().any(|it| it.as_slice() == magic);
        (is_known && be_u32(count)? == self.count()).then_some(Data { file, end })
    }

    /// As many bytes from a place as there are, up to the length of `buffer`.
    fn pack_bytes<'buffer>(&self, place: u64, buffer: &'buffer mut [u8]) -> Option<&'buffer [u8]> {
        let data = self.data.get_or_init(|| self.open_data()).as_ref()?;
        let left = usize::try_from(data.end.checked_sub(place)?).unwrap_or(usize::MAX);
        let count = left.min(buffer.len());
        let wanted = buffer.get_mut(..count)?;
        data.file.read_exact_at(wanted, place).ok()?;
        Some(wanted)
    }
}

/// How far back a base lies: seven bits per byte, in which every continuation adds one.
fn distance(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut value = 0_u64;
    loop {
        let byte = bytes.next()?;
        value = value.checked_add(u64::from(byte & 0x7f))?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
        value = value.checked_add(1)?.checked_mul(128)?;
    }
}

fn be_u32(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}
