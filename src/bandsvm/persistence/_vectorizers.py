"""Vectorizers of text in a model file.

What a file could use against its reader is refused: reading files that a text names, patterns that
take for ever, and n-grams without end.
"""

from __future__ import annotations

import re
from typing import Any

from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)

from bandsvm._system.files import MAX_FEATURES
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._rules import FEATURES, Parts, Rule, Schema, require

MAX_NGRAM = 20
# Word characters, or all but spaces, so many at least: found in one pass. Others can take a time
# that grows with the power of a text's length.
_SAFE_PATTERN = re.compile(r"(\(\?u\))?((\\b)?(\\w){1,9}\+(\\b)?|(\\S){1,9}\+|(\[\^\\s\]){1,9}\+)")
_ENCODINGS = ("utf-8", "utf8", "ascii", "latin-1", "latin1", "iso-8859-1", "cp1252", "utf-16")


def _pattern(value: Any, parts: Parts) -> bool:
    return value is None or (rule.text(value, parts) and _SAFE_PATTERN.fullmatch(value) is not None)


def _ngrams(value: Any, parts: Parts) -> bool:
    is_pair = rule.tuple_of(rule.whole(1), rule.whole(1))
    return is_pair(value, parts) and value[0] <= value[1] <= MAX_NGRAM


def _numbered(value: Any, parts: Parts) -> bool:
    """Return whether a vocabulary numbers its terms from 0: they index a sparse matrix."""
    is_mapping = rule.mapping_of(rule.text, rule.whole(0))(value, parts)
    return is_mapping and len(value) > 0 and sorted(value.values()) == list(range(len(value)))


def _check_tfidf_vectorizer(parts: Parts) -> None:
    """Check that there is a weight for each term."""
    weights = parts.attributes["_tfidf"]
    require(weights.use_idf == parts.model.use_idf)
    require(weights.n_features_in_ == len(parts.attributes["vocabulary_"]))


_WORDS: dict[str, Rule] = {
    # Others would open files that a text names.
    "input": rule.one_of("content"),
    "encoding": rule.one_of(*_ENCODINGS),
    "decode_error": rule.one_of("strict", "ignore", "replace"),
    "strip_accents": rule.one_of("ascii", "unicode", None),
    "lowercase": rule.flag,
    "preprocessor": rule.nothing,
    "tokenizer": rule.nothing,
    "stop_words": rule.either(rule.one_of("english", None), rule.list_of(rule.text)),
    "token_pattern": _pattern,
    "ngram_range": _ngrams,
    "analyzer": rule.one_of("word", "char", "char_wb"),
    "binary": rule.flag,
    "dtype": rule.dtype_of("iuf"),
}
_COUNTS: dict[str, Rule] = {
    **_WORDS,
    "max_df": rule.finite,
    "min_df": rule.finite,
    "max_features": rule.optional(rule.whole(1)),
    "vocabulary": rule.optional(
        rule.either(rule.mapping_of(rule.text, rule.whole(0)), rule.list_of(rule.text))
    ),
}
_TFIDF: dict[str, Rule] = {
    "norm": rule.one_of("l1", "l2", None),
    **dict.fromkeys(("use_idf", "smooth_idf", "sublinear_tf"), rule.flag),
}
_VOCABULARY: dict[str, Rule] = {"vocabulary_": _numbered, "fixed_vocabulary_": rule.flag}


def _n_terms(model: Any) -> int:
    return len(model.vocabulary_)


VECTORIZERS = [
    Schema(CountVectorizer, _COUNTS, _VOCABULARY, width=_n_terms),
    Schema(
        TfidfVectorizer,
        {**_COUNTS, **_TFIDF},
        {**_VOCABULARY, "_tfidf": rule.instance_of(TfidfTransformer)},
        check=_check_tfidf_vectorizer,
        width=_n_terms,
    ),
    Schema(
        TfidfTransformer,
        _TFIDF,
        {"n_features_in_": FEATURES["n_features_in_"]},
        {"idf_": rule.per_feature("f"), **FEATURES},
        lambda parts: require(not parts.model.use_idf or "idf_" in parts.attributes),
    ),
    Schema(
        HashingVectorizer,
        {
            **_WORDS,
            "n_features": lambda value, parts: (
                rule.whole(1)(value, parts) and value <= MAX_FEATURES
            ),
            "norm": _TFIDF["norm"],
            "alternate_sign": rule.flag,
        },
        {},
        width=lambda model: model.n_features,
    ),
]
