//! Settings tables that do not change the result of a run: how it is run, and what is requested from a cluster.

use super::{RunOptions, SlurmOptions};
use crate::{
    base::fields::{Field, FieldKind, Fields, optional_field, switch_field},
    train::device::Device,
};

impl Fields for RunOptions {
    const FIELDS: &'static [Field<RunOptions>] = &[
        Field {
            flag: "device",
            help: "Device: auto, cpu, cuda, cuda:1, cuda:0,1 or metal [default: auto]",
            kind: FieldKind::Open {
                choices: &Device::CHOICES,
                name: "DEVICE",
                check: |text| text.parse::<Device>().map(drop),
            },
            applies: |_| true,
            get: |options| options.device.clone(),
            set: |options, text| {
                text.clone_into(&mut options.device);
                Ok(())
            },
        },
        optional_field!(
            optional_whole(1, 4096),
            "threads",
            "Number of threads; results do not depend on it [default: all cores]",
            threads
        ),
        Field {
            flag: "checkpoint-every",
            help: "Seconds between checkpoints [default: 60]",
            // a year
            kind: FieldKind::whole(0, 31_536_000),
            applies: |_| true,
            get: |options| options.checkpoint_every().to_string(),
            set: |options, text| {
                options.checkpoint_every = Some(crate::base::fields::number(text)?);
                Ok(())
            },
        },
        switch_field!("tensorboard", "Also write TensorBoard events", tensorboard, |_| true),
    ];
}

macro_rules! text {
    ($flag:literal, $help:literal, $name:literal, $place:ident) => {
        Field {
            flag: $flag,
            help: $help,
            kind: FieldKind::Text($name),
            applies: |_| true,
            get: |options| options.$place.clone().unwrap_or_default(),
            set: |options, text| {
                options.$place = (!text.is_empty()).then(|| text.to_owned());
                Ok(())
            },
        }
    };
}

impl Fields for SlurmOptions {
    const REQUIRES: Option<&'static str> = Some("on");
    const FIELDS: &'static [Field<SlurmOptions>] = &[
        text!("partition", "Slurm partition", "NAME", partition),
        text!("account", "Slurm account", "NAME", account),
        text!("gres", "Generic resources, such as gpu:1", "LIST", gres),
        text!("time", "Time limit, such as 12:00:00; a longer run continues in another job", "TIME", time),
        text!("memory", "Memory, such as 16G", "SIZE", memory),
        optional_field!(optional_whole(1, 65_536), "cpus", "CPUs per task", cpus),
    ];
}
