//! Archives and compressed files, detected by their first bytes.

use std::{
    io::{self, BufReader, Read},
    ops::ControlFlow,
    path::Path,
};

use super::{
    ArticleLocation, Item, Limits, file_name,
    stream::{describe, read_bounded},
    tarball, zipped,
};
use crate::{
    base::outside,
    corpus::{
        extract::problem::Unreadable,
        unpacking::{Metered, Rationed, TooMuch},
    },
};

/// zstd's default window; archives with a longer one would need that much memory.
const LARGEST_ZSTD_WINDOW: u32 = 26;
/// The magic bytes of a tar archive.
const TAR_BLOCK: usize = 512;
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

enum Packing {
    Zip,
    Gzip,
    Zstd,
    Bzip2,
    Tar,
}

/// Whether a file is one of the archives we read.
pub fn is_archive(path: &Path) -> io::Result<bool> {
    let mut head = Vec::with_capacity(TAR_BLOCK);
    outside::open(path)?.take(TAR_BLOCK as u64).read_to_end(&mut head)?;
    Ok(packing_of(&head).is_some() || (head.is_empty() && has_archive_name(&path.to_string_lossy())))
}

/// Whether a file is a zip archive, which can be read in any order.
pub fn is_zip(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = outside::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && matches!(packing_of(&head), Some(Packing::Zip))
}

/// Whether a file in a folder looks like an archive of articles.
pub fn has_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2", ".html.gz", ".xhtml.gz"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Reads an archive's entries.
pub fn each(
    input: u32,
    path: &Path,
    before: u64,
    limits: Limits,
    take: &mut dyn FnMut(Item) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let opened = outside::open(path).and_then(|mut file| {
        let mut head = Vec::with_capacity(TAR_BLOCK);
        file.by_ref().take(TAR_BLOCK as u64).read_to_end(&mut head)?;
        io::Seek::rewind(&mut file)?;
        Ok((file, head))
    });
    let (file, head) = match opened {
        Ok(opened) => opened,
        Err(error) => return take(broken(input, path, before, Unreadable::Io { cause: error.to_string() })),
    };
    let (counted, packed) = Metered::counting(BufReader::with_capacity(1 << 18, file));
    let unpacked: io::Result<Box<dyn Read>> = match packing_of(&head) {
        Some(Packing::Zip) => return zipped::each(input, path, before, limits, take),
        Some(Packing::Gzip) => Ok(Box::new(flate2::read::MultiGzDecoder::new(counted))),
        Some(Packing::Bzip2) => Ok(Box::new(bzip2::read::MultiBzDecoder::new(counted))),
        Some(Packing::Zstd) => zstd::stream::read::Decoder::new(counted).and_then(|mut decoder| {
            decoder.window_log_max(LARGEST_ZSTD_WINDOW)?;
            Ok(Box::new(decoder) as Box<dyn Read>)
        }),
        Some(Packing::Tar) => Ok(Box::new(counted)),
        None if head.is_empty() => return take(broken(input, path, before, Unreadable::Empty)),
        None => return take(broken(input, path, before, Unreadable::NoArchive)),
    };
    let unpacked = match unpacked {
        Ok(unpacked) => unpacked,
        Err(error) => return take(broken(input, path, before, Unreadable::Io { cause: describe(&error) })),
    };
    let mut unpacked = Rationed::new(unpacked, packed.clone(), limits.ratio);
    // The first block decides whether this is a tar archive or a single packed article.
    let mut first = Vec::with_capacity(TAR_BLOCK);
    if let Err(error) = unpacked.by_ref().take(TAR_BLOCK as u64).read_to_end(&mut first) {
        return take(broken(input, path, before, cause_of(&error, limits)));
    }
    let is_tar = is_tar(&first);
    let whole = io::Cursor::new(first).chain(unpacked);
    if is_tar {
        let archive = tarball::Tarball { input, path, before, packed };
        archive.each(whole, limits, take)
    } else {
        take(single(input, path, before, whole, limits))
    }
}

/// Converts an I/O error to a problem.
pub fn cause_of(error: &io::Error, limits: Limits) -> Unreadable {
    match error.get_ref() {
        Some(inner) if inner.is::<TooMuch>() => Unreadable::Bomb { ratio: limits.ratio },
        _ => Unreadable::Io { cause: describe(error) },
    }
}

/// An item for a problem with the archive itself.
pub fn broken(input: u32, path: &Path, progress: u64, cause: Unreadable) -> Item {
    let source = path.to_string_lossy().into_owned();
    let name = file_name(&source).to_owned();
    Item {
        location: ArticleLocation { input, name, path: source.clone() },
        source,
        content: Err(cause),
        progress,
    }
}

/// `article.xhtml.gz`
fn single(input: u32, path: &Path, progress: u64, content: impl Read, limits: Limits) -> Item {
    let mut item = broken(input, path, progress, Unreadable::Empty);
    if let Some((stem, _)) = item.location.name.rsplit_once('.') {
        item.location.name = stem.to_owned();
    }
    item.content = read_bounded(content, 0, limits.article);
    item
}

fn packing_of(head: &[u8]) -> Option<Packing> {
    match head {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Packing::Zip),
        [0x1f, 0x8b, ..] => Some(Packing::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Packing::Zstd),
        [b'B', b'Z', b'h', ..] => Some(Packing::Bzip2),
        _ if is_tar(head) => Some(Packing::Tar),
        _ => None,
    }
}

fn is_tar(head: &[u8]) -> bool {
    let (at, magic) = TAR_MAGIC;
    // An empty archive is blocks of zeros.
    let is_end = head.len() == TAR_BLOCK && head.iter().all(|byte| *byte == 0);
    is_end || head.get(at..at + magic.len()) == Some(magic)
}
