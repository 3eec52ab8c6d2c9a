//! Archives of every kind.

use std::io::{Cursor, Write};

use zip::{ZipWriter, write::SimpleFileOptions};

/// File names and contents.
pub type Articles = Vec<(String, Vec<u8>)>;

pub fn zip(articles: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in articles {
        writer.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub fn tar(articles: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in articles {
        tar_entry(&mut builder, tar::EntryType::Regular, name.as_bytes(), content);
    }
    builder.into_inner().unwrap()
}

/// Adds an entry whose name is taken as it is, however wicked.
pub fn tar_entry(builder: &mut tar::Builder<Vec<u8>>, kind: tar::EntryType, name: &[u8], content: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name);
    if kind.is_symlink() || kind.is_hard_link() {
        header.set_link_name("/etc/passwd").unwrap();
    }
    header.set_cksum();
    builder.append(&header, content).unwrap();
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// Every kind of archive by its ending.
pub fn archives(articles: &[(String, Vec<u8>)]) -> [(&'static str, Vec<u8>); 5] {
    let tar = tar(articles);
    let (gzip, zstd, bzip2) = (gzip(&tar), zstd(&tar), bzip2(&tar));
    [("zip", zip(articles)), ("tar", tar), ("tar.gz", gzip), ("tar.zst", zstd), ("tar.bz2", bzip2)]
}
