package import AggregatorCore
package import Asking

extension Difference {
  /// Both values, each on one line. If they would look the same, as the number 1 and the text "1" do, they are JSON.
  package static func shownTexts(_ one: Value, _ other: Value) -> (before: String, after: String) {
    let texts = (shownText(one), shownText(other))
    return texts.0 == texts.1 ? (Printable.clean(jsonText(one)), Printable.clean(jsonText(other))) : texts
  }

  package static func shownText(_ value: Value) -> String {
    let text = RecordFormats.shownText(value)
    return value == .null ? "(none)" : text.isEmpty ? "(empty)" : text
  }
}
