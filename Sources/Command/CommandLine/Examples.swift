import AggregatorCore
import Platform

extension SourceDescriptor {
  /// The examples of a verb, from what stands behind it in each.
  ///
  /// `TEXT` and `ID` become what the source names as its sample; without one, an example that needs it is left out.
  func examples(_ verb: String, _ ends: [String]) -> [String] {
    ends.compactMap { end in
      var words = [name, verb]
      for word in end.split(separator: " ") {
        switch word {
        case "TEXT", "ID":
          guard let sample else { return nil }
          words.append(Paths.quoted(word == "ID" ? sample.id : sample.text))
        default: words.append(String(word))
        }
      }
      return words.joined(separator: " ")
    }
  }
}
