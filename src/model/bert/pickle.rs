//! `pytorch_model.bin`: a zip archive with a pickle that says where each tensor lies, and the tensors' bytes.
//!
//! A pickle is a program, and Python runs whatever function it names. This reader runs nothing: it knows the few
//! instructions that PyTorch writes, keeps what they build as plain values, and refuses every name but those of
//! PyTorch's tensors. candle has a reader too, which executes nothing either, but panics on tuples that are too
//! short, asks for as much memory as a file says, and passes over what it does not understand. Values lie in a
//! list and refer to each other by number, so that no nesting, however deep, can exhaust the stack.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufReader, Read},
    path::{Path, PathBuf},
};

use super::floats::read_floats;
use crate::base::{numbers::grouped, outside, task::CancelToken};

/// The tensors of a file.
pub struct Tensors {
    path: PathBuf,
    folder: String,
    tensors: HashMap<String, Tensor>,
    cancel: CancelToken,
}

#[derive(Clone, Debug, PartialEq)]
struct Tensor {
    kind: Kind,
    key: String,
    /// In elements.
    offset: usize,
    size: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Single,
    Double,
    Half,
    BrainHalf,
    /// Something that is no float; such tensors are named but cannot be read.
    Other,
}

/// The longest pickle that is read; that of a BERT has some tens of kilobytes.
const LONGEST: u64 = 16 << 20;
/// The most values that a pickle may make: one byte makes one, which takes much more memory than that.
const MOST_VALUES: usize = 1 << 20;
/// Keys of storages and shapes of tensors are copied each time that they are referred to.
const LONGEST_KEY: usize = 256;
const MOST_AXES: usize = 16;

impl Tensors {
    /// Opens a file. Once the token is cancelled, no tensor can be read.
    pub fn open(path: &Path, cancel: &CancelToken) -> Result<Tensors, String> {
        let mut archive = archive(path)?;
        let names: Vec<String> =
            archive.file_names().filter_map(|name| name.ok().map(|name| name.into_owned())).collect();
        let name = names.iter().find(|name| *name == "data.pkl" || name.ends_with("/data.pkl"));
        let name = name.ok_or("it has no data.pkl, so it was not written by PyTorch")?;
        let mut program = Vec::new();
        let file = archive.by_name(name).map_err(|error| error.to_string())?;
        file.take(LONGEST + 1).read_to_end(&mut program).map_err(|error| error.to_string())?;
        if program.len() as u64 > LONGEST {
            return Err(format!("its {name} is longer than {} MB", LONGEST >> 20));
        }
        let tensors = read_program(&program)?;
        let folder = name.trim_end_matches("data.pkl").to_owned();
        Ok(Tensors { path: path.to_owned(), folder, tensors, cancel: cancel.clone() })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tensors.keys().map(String::as_str)
    }

    pub fn shape(&self, name: &str) -> Option<&[usize]> {
        self.tensors.get(name).map(|tensor| &tensor.size[..])
    }

    /// The values of a tensor.
    pub fn read(&self, name: &str) -> Result<Vec<f32>, String> {
        let tensor = self.tensors.get(name).ok_or("it is missing")?;
        let width = match tensor.kind {
            Kind::Single => 4,
            Kind::Double => 8,
            Kind::Half | Kind::BrainHalf => 2,
            Kind::Other => return Err("it does not hold floats".to_owned()),
        };
        let mut archive = archive(&self.path)?;
        let packed = self.path.metadata().map_or(0, |data| data.len());
        let file = format!("{}data/{}", self.folder, tensor.key);
        let file = archive.by_name(&file).map_err(|error| format!("{file}: {error}"))?;
        let count: usize = tensor.size.iter().product();
        let (start, length) = (tensor.offset.checked_mul(width), count.checked_mul(width));
        let (Some(start), Some(length)) = (start, length) else { return Err("it is too large".to_owned()) };
        if (start as u64).checked_add(length as u64).is_none_or(|end| end > file.size()) {
            return Err(format!("it should have {count} values, but its file is shorter"));
        }
        // PyTorch does not compress; what does may claim to hold any amount.
        if (start as u64).saturating_add(length as u64) > packed {
            return Err(
                "it unpacks to more data than its file holds; save it again without compression".to_owned()
            );
        }
        let input = &mut outside::Stoppable::new(file, &self.cancel);
        std::io::copy(&mut input.by_ref().take(start as u64), &mut std::io::sink())
            .map_err(|error| error.to_string())?;
        let values = match tensor.kind {
            Kind::Single => read_floats::<4>(input, count, f32::from_le_bytes),
            Kind::Double => read_floats::<8>(input, count, |value| f64::from_le_bytes(value) as f32),
            Kind::Half => read_floats::<2>(input, count, half),
            Kind::BrainHalf => read_floats::<2>(input, count, brain_half),
            Kind::Other => Ok(vec![]),
        };
        values.map_err(|error| error.to_string())
    }
}

fn archive(path: &Path) -> Result<zip::ZipArchive<BufReader<File>>, String> {
    let (file, _) = outside::open_sized(path, outside::WEIGHTS).map_err(|error| error.to_string())?;
    zip::ZipArchive::new(BufReader::new(file)).map_err(|error| {
        format!(
            "it is not a zip archive ({error}); PyTorch before 1.6 wrote bare pickles: save it again as model.safetensors"
        )
    })
}

/// IEEE's half precision.
pub fn half(bytes: [u8; 2]) -> f32 {
    let bits = u16::from_le_bytes(bytes);
    let (sign, exponent, fraction) =
        (u32::from(bits >> 15), u32::from(bits >> 10 & 31), u32::from(bits & 1023));
    match exponent {
        0 => (if sign == 1 { -1.0 } else { 1.0 }) * fraction as f32 / 16_777_216.0,
        31 => f32::from_bits(sign << 31 | 0x7F80_0000 | fraction << 13),
        _ => f32::from_bits(sign << 31 | (exponent + 112) << 23 | fraction << 13),
    }
}

/// The upper half of a single.
pub fn brain_half(bytes: [u8; 2]) -> f32 {
    f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)
}

/// A value's place in the list.
type Number = usize;

#[derive(Clone, Debug)]
enum Value {
    Mark,
    /// Something that does not matter: none, a truth value, a float.
    Nothing,
    Whole(i64),
    Text(String),
    /// A name with its module.
    Global(String),
    Tuple(Vec<Number>),
    List(Vec<Number>),
    Dictionary(Vec<(Number, Number)>),
    Storage {
        kind: Kind,
        key: String,
    },
    Tensor(Tensor),
}

fn read_program(program: &[u8]) -> Result<HashMap<String, Tensor>, String> {
    let mut machine = Machine { rest: program, values: vec![], stack: vec![], memory: HashMap::new() };
    while machine.step()? {
        if machine.values.len() > MOST_VALUES {
            return Err(format!("its pickle has more than {} values", grouped(MOST_VALUES as u64)));
        }
    }
    let last = machine.pop()?;
    let Value::Dictionary(entries) = &machine.values[last] else {
        return Err("its pickle is not a dictionary of tensors".to_owned());
    };
    let mut tensors = HashMap::new();
    for (name, tensor) in entries {
        if let (Value::Text(name), Value::Tensor(tensor)) = (&machine.values[*name], &machine.values[*tensor])
        {
            tensors.insert(name.clone(), tensor.clone());
        }
    }
    Ok(tensors)
}

struct Machine<'a> {
    rest: &'a [u8],
    values: Vec<Value>,
    stack: Vec<Number>,
    memory: HashMap<u32, Number>,
}

impl Machine<'_> {
    /// One instruction; false after the last.
    fn step(&mut self) -> Result<bool, String> {
        let [code] = self.take()?;
        match code {
            0x80 => _ = self.take::<1>()?,
            b'.' => return Ok(false),
            b'(' => self.push(Value::Mark),
            b'N' | 0x88 | 0x89 => self.push(Value::Nothing),
            b'G' => {
                self.take::<8>()?;
                self.push(Value::Nothing);
            }
            b'K' => {
                let [value] = self.take()?;
                self.push(Value::Whole(i64::from(value)));
            }
            b'M' => {
                let value = u16::from_le_bytes(self.take()?);
                self.push(Value::Whole(i64::from(value)));
            }
            b'J' => {
                let value = i32::from_le_bytes(self.take()?);
                self.push(Value::Whole(i64::from(value)));
            }
            0x8a => {
                let [count] = self.take()?;
                let bytes = self.bytes(usize::from(count))?;
                let mut whole = [if bytes.last().is_some_and(|last| *last > 127) { 255 } else { 0 }; 8];
                let too_long = || "its pickle holds a number that is too large".to_owned();
                whole.get_mut(..bytes.len()).ok_or_else(too_long)?.copy_from_slice(bytes);
                self.push(Value::Whole(i64::from_le_bytes(whole)));
            }
            b'X' => {
                let count = u32::from_le_bytes(self.take()?);
                self.text(count as usize)?;
            }
            0x8c => {
                let [count] = self.take()?;
                self.text(usize::from(count))?;
            }
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.push(Value::Global(format!("{module}.{name}")));
            }
            b')' => self.push(Value::Tuple(vec![])),
            b']' => self.push(Value::List(vec![])),
            b'}' => self.push(Value::Dictionary(vec![])),
            b't' => {
                let items = self.take_to_mark()?;
                self.push(Value::Tuple(items));
            }
            0x85..=0x87 => {
                let count = usize::from(code - 0x84);
                let at = self.stack.len().checked_sub(count).ok_or_else(underflow)?;
                let items = self.stack.split_off(at);
                self.push(Value::Tuple(items));
            }
            b'q' | b'r' => {
                let place = self.place(code == b'q')?;
                let top = *self.stack.last().ok_or_else(underflow)?;
                self.memory.insert(place, top);
            }
            b'h' | b'j' => {
                let place = self.place(code == b'h')?;
                let number =
                    *self.memory.get(&place).ok_or("its pickle reads a memo entry that was never stored")?;
                self.stack.push(number);
            }
            b's' => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.insert(vec![key, value])?;
            }
            b'u' => {
                let items = self.take_to_mark()?;
                self.insert(items)?;
            }
            b'a' => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            b'e' => {
                let items = self.take_to_mark()?;
                self.append(items)?;
            }
            // the state of an object, for instance the metadata of an ordered dictionary
            b'b' => _ = self.pop()?,
            b'Q' => self.storage()?,
            b'R' => self.call()?,
            other => {
                return Err(format!(
                    "its pickle has the instruction {other:#04x}, which PyTorch does not write"
                ));
            }
        }
        Ok(true)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (first, rest) = self.rest.split_first_chunk::<N>().ok_or_else(cut)?;
        self.rest = rest;
        Ok(*first)
    }

    fn bytes(&mut self, count: usize) -> Result<&[u8], String> {
        let (first, rest) = self.rest.split_at_checked(count).ok_or_else(cut)?;
        self.rest = rest;
        Ok(first)
    }

    fn text(&mut self, count: usize) -> Result<(), String> {
        let text = String::from_utf8_lossy(self.bytes(count)?).into_owned();
        self.push(Value::Text(text));
        Ok(())
    }

    fn line(&mut self) -> Result<String, String> {
        let end = self.rest.iter().position(|byte| *byte == b'\n').ok_or_else(cut)?;
        let line = String::from_utf8_lossy(self.bytes(end)?).into_owned();
        self.take::<1>()?;
        Ok(line)
    }

    fn place(&mut self, is_short: bool) -> Result<u32, String> {
        Ok(if is_short { u32::from(self.take::<1>()?[0]) } else { u32::from_le_bytes(self.take()?) })
    }

    fn push(&mut self, value: Value) {
        self.stack.push(self.values.len());
        self.values.push(value);
    }

    fn pop(&mut self) -> Result<Number, String> {
        self.stack.pop().ok_or_else(underflow)
    }

    fn take_to_mark(&mut self) -> Result<Vec<Number>, String> {
        let at = self.stack.iter().rposition(|&number| matches!(self.values[number], Value::Mark));
        let at = at.ok_or("its pickle lacks a mark")?;
        let items = self.stack.split_off(at + 1);
        self.stack.pop();
        Ok(items)
    }

    fn insert(&mut self, items: Vec<Number>) -> Result<(), String> {
        let top = *self.stack.last().ok_or_else(underflow)?;
        match &mut self.values[top] {
            Value::Dictionary(entries) => {
                entries.extend(items.as_chunks::<2>().0.iter().map(|[key, value]| (*key, *value)));
                Ok(())
            }
            _ => Err("its pickle adds an entry to something other than a dictionary".to_owned()),
        }
    }

    fn append(&mut self, items: Vec<Number>) -> Result<(), String> {
        let top = *self.stack.last().ok_or_else(underflow)?;
        match &mut self.values[top] {
            Value::List(list) => {
                list.extend(items);
                Ok(())
            }
            _ => Err("its pickle appends to something other than a list".to_owned()),
        }
    }

    /// `('storage', torch.FloatStorage, key, device, count)`
    fn storage(&mut self) -> Result<(), String> {
        let top = self.pop()?;
        let Value::Tuple(items) = &self.values[top] else { return Err(odd("a storage")) };
        let mut items = items.iter().map(|&number| &self.values[number]);
        let (Some(_), Some(Value::Global(class)), Some(Value::Text(key))) =
            (items.next(), items.next(), items.next())
        else {
            return Err(odd("a storage"));
        };
        let kind = match class.as_str() {
            "torch.FloatStorage" => Kind::Single,
            "torch.DoubleStorage" => Kind::Double,
            "torch.HalfStorage" => Kind::Half,
            "torch.BFloat16Storage" => Kind::BrainHalf,
            name if name.starts_with("torch.") && name.ends_with("Storage") => Kind::Other,
            other => return Err(refused(other)),
        };
        if key.len() > LONGEST_KEY {
            return Err(odd("a storage"));
        }
        let value = Value::Storage { kind, key: key.clone() };
        self.push(value);
        Ok(())
    }

    /// A call of one of the functions that tensors are made with. Nothing is called: what it would make is written down.
    fn call(&mut self) -> Result<(), String> {
        let (arguments, function) = (self.pop()?, self.pop()?);
        let Value::Global(function) = &self.values[function] else { return Err(odd("a call")) };
        let Value::Tuple(arguments) = &self.values[arguments] else { return Err(odd("a call")) };
        let value = match function.as_str() {
            "collections.OrderedDict" => Value::Dictionary(vec![]),
            "torch._utils._rebuild_parameter" => {
                let first = *arguments.first().ok_or_else(|| odd("a parameter"))?;
                let Value::Tensor(tensor) = &self.values[first] else { return Err(odd("a parameter")) };
                Value::Tensor(tensor.clone())
            }
            "torch._utils._rebuild_tensor_v2" => self.tensor(arguments)?,
            other => return Err(refused(other)),
        };
        self.push(value);
        Ok(())
    }

    /// `(storage, offset, size, stride, ...)`
    fn tensor(&self, arguments: &[Number]) -> Result<Value, String> {
        let mut items = arguments.iter().map(|&number| &self.values[number]);
        let (Some(Value::Storage { kind, key }), Some(Value::Whole(offset)), Some(size), Some(stride)) =
            (items.next(), items.next(), items.next(), items.next())
        else {
            return Err(odd("a tensor"));
        };
        let (size, stride) = (self.sizes(size)?, self.sizes(stride)?);
        // the strides of rows that follow each other
        let (mut expected, mut step) = (vec![1; size.len()], 1usize);
        for (stride, length) in expected.iter_mut().zip(&size).rev() {
            *stride = step;
            step = step.checked_mul(*length).ok_or_else(|| odd("a tensor"))?;
        }
        let is_plain = size
            .iter()
            .zip(stride.iter().zip(&expected))
            .all(|(size, (stride, expected))| *size == 1 || stride == expected);
        let offset = usize::try_from(*offset).map_err(|_| odd("a tensor"))?;
        if stride.len() != size.len() {
            return Err(odd("a tensor"));
        }
        // a tensor that lies across its storage would have to be copied; BERT's do not
        let kind = if is_plain { *kind } else { Kind::Other };
        Ok(Value::Tensor(Tensor { kind, key: key.clone(), offset, size }))
    }

    fn sizes(&self, value: &Value) -> Result<Vec<usize>, String> {
        let Value::Tuple(items) = value else { return Err(odd("a tensor")) };
        if items.len() > MOST_AXES {
            return Err(odd("a tensor"));
        }
        items
            .iter()
            .map(|&number| match self.values[number] {
                Value::Whole(size) => usize::try_from(size).map_err(|_| odd("a tensor")),
                _ => Err(odd("a tensor")),
            })
            .collect()
    }
}

fn cut() -> String {
    "its pickle is truncated".to_owned()
}

fn underflow() -> String {
    "its pickle pops from an empty stack".to_owned()
}

fn odd(what: &str) -> String {
    format!("its pickle describes {what} in a way that PyTorch does not")
}

fn refused(name: &str) -> String {
    let name: String = name.chars().take(80).collect();
    format!(
        "its pickle asks for {name}, which does not belong in a weights file; it was not executed, and the file is refused"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dictionary of one tensor, as PyTorch writes it.
    fn program(class: &str, size: &[u8]) -> Vec<u8> {
        let mut code = b"\x80\x02ccollections\nOrderedDict\n)Rq\x00(X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\n".to_vec();
        code.extend(class.as_bytes());
        code.extend(b"\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQK\x00");
        code.extend(size);
        code.extend(b"K\x03K\x01\x86\x89ccollections\nOrderedDict\n)RtRu.");
        code
    }

    #[test]
    fn a_tensor_is_found_and_nothing_else_is_run() {
        let found = read_program(&program("FloatStorage", b"K\x02K\x03\x86")).unwrap();
        let expected = Tensor { kind: Kind::Single, key: "0".to_owned(), offset: 0, size: vec![2, 3] };
        assert_eq!(found.get("w"), Some(&expected));
        let other = read_program(&program("FloatStorage", b"K\x03K\x02\x86")).unwrap();
        assert_eq!(other["w"].kind, Kind::Other, "a transposed tensor is not read as if it were not");
        let attack = b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.";
        let error = read_program(attack).unwrap_err();
        assert!(error.contains("os.system") && error.contains("not executed"), "{error}");
    }

    #[test]
    fn a_broken_program_is_an_error_wherever_it_is_cut() {
        let whole = program("FloatStorage", b"K\x02K\x03\x86");
        for end in 0..whole.len() {
            assert!(read_program(&whole[..end]).is_err(), "{end}");
        }
        for at in 0..whole.len() {
            for value in [0, b'(', b'R', b't', b'Q', b'u', 0x86, 255] {
                let mut changed = whole.clone();
                changed[at] = value;
                let _ = read_program(&changed);
            }
        }
        let deep: Vec<u8> =
            b"N".iter().copied().chain(std::iter::repeat_n(0x85, 1_000_000)).chain(*b".").collect();
        assert!(read_program(&deep).is_err());
    }

    #[test]
    fn a_program_that_makes_much_of_little_is_refused() {
        let error =
            read_program(&[b"\x80\x02", vec![b']'; MOST_VALUES + 1].as_slice()].concat()).unwrap_err();
        assert_eq!(error, "its pickle has more than 1,048,576 values");
        // A parameter copies its tensor, so it must be one.
        let parameter = b"\x80\x02ctorch._utils\n_rebuild_parameter\n(NNN\x86t\x85R.";
        read_program(parameter).unwrap_err();
        let mut long = b"\x80\x02(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX".to_vec();
        long.extend(1_000_000u32.to_le_bytes());
        long.extend(vec![b'k'; 1_000_000]);
        long.extend(b"X\x03\x00\x00\x00cpuK\x06tQ.");
        let error = read_program(&long).unwrap_err();
        assert!(error.contains("a storage"), "{error}");
        let axes: Vec<u8> = [b"(".as_slice(), &b"K\x01".repeat(MOST_AXES + 1), b"t"].concat();
        read_program(&program("FloatStorage", &axes)).unwrap_err();
    }

    #[test]
    fn halves_are_widened() {
        assert_eq!(half([0x00, 0x3c]), 1.0);
        assert_eq!(half([0x00, 0xc0]), -2.0);
        assert_eq!(half([0x01, 0x00]), 2f32.powi(-24));
        assert_eq!(half([0x00, 0x7c]), f32::INFINITY);
        assert_eq!(brain_half([0x80, 0x3f]), 1.0);
    }
}
