//! Names of parameters in `transformers`.

/// The name without the prefix `bert.`; `None` for a parameter that `transformers` does not have.
pub fn of_transformers(ours: &str) -> Option<String> {
    let direct = match ours {
        "words.weight" => "embeddings.word_embeddings.weight",
        "embedding.positions.weight" => "embeddings.position_embeddings.weight",
        "embedding.types.weight" => "embeddings.token_type_embeddings.weight",
        "embedding.norm.weight" => "embeddings.LayerNorm.weight",
        "embedding.norm.bias" => "embeddings.LayerNorm.bias",
        "pooler.weight" => "pooler.dense.weight",
        "pooler.bias" => "pooler.dense.bias",
        "masked.dense.weight" => "cls.predictions.transform.dense.weight",
        "masked.dense.bias" => "cls.predictions.transform.dense.bias",
        "masked.norm.weight" => "cls.predictions.transform.LayerNorm.weight",
        "masked.norm.bias" => "cls.predictions.transform.LayerNorm.bias",
        "masked.bias" => "cls.predictions.bias",
        _ => "",
    };
    if !direct.is_empty() {
        return Some(direct.to_owned());
    }
    let (layer, rest) = ours.strip_prefix("layers.")?.split_once('.')?;
    let (module, kind) = rest.rsplit_once('.')?;
    let module = match module {
        "attention.query" => "attention.self.query",
        "attention.key" => "attention.self.key",
        "attention.value" => "attention.self.value",
        "attention.out" => "attention.output.dense",
        "attention.norm" => "attention.output.LayerNorm",
        "feed.up" => "intermediate.dense",
        "feed.down" => "output.dense",
        "feed.norm" => "output.LayerNorm",
        _ => return None,
    };
    Some(format!("encoder.layer.{layer}.{module}.{kind}"))
}

/// Every name under which a file may hold a parameter: with or without a prefix, and with the names of a norm's
/// gain and shift that TensorFlow's checkpoints have.
pub fn candidates(theirs: &str) -> Vec<String> {
    let older =
        theirs.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta");
    let mut names = Vec::new();
    for name in [theirs.to_owned(), older] {
        names.push(format!("bert.{name}"));
        names.push(name);
    }
    if theirs == "cls.predictions.bias" {
        names.push("cls.predictions.decoder.bias".to_owned());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{
        super::super::{EncoderShape, Layout, WORDS},
        *,
    };

    #[test]
    fn every_parameter_but_the_score_has_a_name_there() {
        for head in [super::super::Head::Match, super::super::Head::Masked] {
            let layout = Layout::new(&EncoderShape::bert_tiny(30).with_head(head));
            let mut names: Vec<String> = vec![of_transformers(WORDS).unwrap()];
            for parameter in layout.parameters.iter().filter(|each| !each.name.starts_with("score.")) {
                names.push(of_transformers(&parameter.name).unwrap_or_else(|| panic!("{}", parameter.name)));
            }
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count);
        }
        assert_eq!(of_transformers("score.weight"), None);
        assert_eq!(
            of_transformers("layers.3.attention.norm.bias").as_deref(),
            Some("encoder.layer.3.attention.output.LayerNorm.bias")
        );
    }
}
