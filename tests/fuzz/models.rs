//! Weights, tokenizers and the folders of Python's transformers.

use std::path::Path;

use super::{Target, file, outcome};
use crate::model::{
    EncoderShape, NptShape, Pooling, Weights,
    bert::{Folder, Head, write},
    tokenizer::{Vocabulary, WordPiece, wordpiece::LineStyle, wordpiece::WordPieceTrainer},
};

#[test]
fn weights() {
    let examples = vec![
        Weights::new(
            &NptShape { width: 4, heads: 1, key: 2, value: 2, feed_forward: 4, ..NptShape::tiny(7) },
            1,
        )
        .unwrap()
        .to_safetensors()
        .unwrap(),
    ];
    let words = &["\"dtype\":\"F32\"", "\"shape\":[", "\"data_offsets\":[0,4]", "layers", "score.weight"];
    Target { name: "weights", examples, words }.fuzz(|input, _| {
        outcome(Weights::from_safetensors(Path::new("w"), input), |weights| {
            format!("{:?}", weights.shape().layers)
        })
    });
}

fn small_bert() -> Weights {
    Weights::new(&EncoderShape { feed_forward: 8, ..EncoderShape::bert_of(9, 1, 4, 1) }, 1).unwrap()
}

fn read_folder(folder: &Path) -> String {
    let folder = Folder {
        path: folder.to_owned(),
        head: Head::Match,
        pooling: Pooling::Cls,
        longest: 20,
        dropout: None,
        seed: 1,
    };
    outcome(folder.read(), |found| found.notes.join(" "))
}

#[test]
fn bert_config() {
    let files = write(&small_bert()).unwrap();
    let words = &["\"vocab_size\":", "\"model_type\":\"bert\"", "\"gelu\"", "null", "[]", "1e999"];
    Target { name: "bert_config", examples: vec![files[0].1.clone()], words }.fuzz(move |input, folder| {
        file(folder, files[0].0, input);
        file(folder, files[1].0, &files[1].1);
        read_folder(folder)
    });
}

#[test]
fn bert_safetensors() {
    let files = write(&small_bert()).unwrap();
    let words = &[
        "\"dtype\":\"F16\"",
        "\"dtype\":\"F64\"",
        "\"shape\":[4,4]",
        "\"data_offsets\":[0,8]",
        "embeddings",
    ];
    Target { name: "bert_safetensors", examples: vec![files[1].1.clone()], words }.fuzz(
        move |input, folder| {
            file(folder, files[0].0, &files[0].1);
            file(folder, files[1].0, input);
            read_folder(folder)
        },
    );
}

/// A pickle as PyTorch writes it: a zip file with `data.pkl` and the storages. The pickle is mutated inside the archive.
#[test]
fn pickle() {
    let opcodes: Vec<u8> = [
        b"\x80\x02}q\x00(X\x01\x00\x00\x00wq\x01".as_slice(),
        b"ctorch._utils\n_rebuild_tensor_v2\nq\x02((X\x07\x00\x00\x00storageq\x03ctorch\nFloatStorage\nq\x04",
        b"X\x01\x00\x00\x000q\x05X\x03\x00\x00\x00cpuq\x06K\x04tq\x07QK\x00K\x02K\x02\x86q\x08K\x02K\x01\x86q\x09\x89",
        b"ccollections\nOrderedDict\nq\x0a)Rq\x0btq\x0cRq\x0du.",
    ]
    .concat();
    let config = write(&small_bert()).unwrap().swap_remove(0);
    let words = &[
        "cos\nsystem\n",
        "R.",
        "\u{80}\u{2}",
        "(",
        "t",
        "}",
        "u",
        "Q",
        "K\u{7f}",
        "\u{8a}",
        "cbuiltins\neval\n",
    ];
    Target { name: "pickle", examples: vec![opcodes], words }.fuzz(move |input, folder| {
        use std::io::Write;
        file(folder, config.0, &config.1);
        let _ = std::fs::remove_file(folder.join("model.safetensors"));
        let archive = std::fs::File::create(folder.join("pytorch_model.bin")).unwrap();
        let mut zip = zip::ZipWriter::new(archive);
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file("archive/data.pkl", stored).unwrap();
        zip.write_all(input).unwrap();
        zip.start_file("archive/data/0", stored).unwrap();
        zip.write_all(&[0; 16]).unwrap();
        zip.finish().unwrap();
        read_folder(folder)
    });
}

#[test]
fn pickle_archive() {
    use std::io::Write;
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut zip = zip::ZipWriter::new(&mut bytes);
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    zip.start_file("archive/data.pkl", stored).unwrap();
    zip.write_all(b"\x80\x02}q\x00.").unwrap();
    zip.finish().unwrap();
    let config = write(&small_bert()).unwrap().swap_remove(0);
    let examples = vec![bytes.into_inner(), b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.".to_vec()];
    Target { name: "pickle_archive", examples, words: &["PK\u{3}\u{4}", "PK\u{5}\u{6}", "data.pkl"] }.fuzz(
        move |input, folder| {
            file(folder, config.0, &config.1);
            file(folder, "pytorch_model.bin", input);
            read_folder(folder)
        },
    );
}

#[test]
fn tokenizers() {
    let mut trainer = WordPieceTrainer::new(LineStyle::Marked, 60);
    let mut passage = crate::corpus::Passage::new();
    passage.push_text("let a set be a set");
    (0..3).for_each(|_| trainer.add(&passage));
    let json = trainer.finish().unwrap().to_json().unwrap();
    let examples = vec![json.into_bytes(), b"matchbook vocabulary 1\nTlet\nMx____bold\n".to_vec()];
    let words =
        &["\"vocab\":{", "\"[CLS]\":", "\"type\":\"WordPiece\"", "\"type\":\"BPE\"", "null", "\nT", "\nM"];
    Target { name: "tokenizers", examples, words }.fuzz(move |input, _| {
        let text = String::from_utf8_lossy(input);
        let vocabulary = outcome(Vocabulary::from_text(&text), |found| {
            assert_eq!(Vocabulary::from_text(&found.to_text()).as_ref(), Ok(&found));
            String::new()
        });
        let pieces = outcome(WordPiece::from_json("t.json", input), |pieces| {
            use crate::model::tokenizer::{Input, Tokenize};
            let mut ids = Vec::new();
            pieces.tokenize(&passage, Input::Both, 10, &mut ids);
            String::new()
        });
        vocabulary + &pieces
    });
}
