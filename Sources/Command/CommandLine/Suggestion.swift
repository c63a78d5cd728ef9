import AggregatorCore

/// The word that was probably meant.
func closest(to word: String, among words: [String]) -> String? { Closest.closest(to: word, among: words) }
