public func closest(to text: String, among words: [String]) -> String? { nil }
