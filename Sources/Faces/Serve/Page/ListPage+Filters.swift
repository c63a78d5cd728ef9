import AggregatorCore
import Asking
import RecordFormats

extension ListPage {
  /// The number of values of a field that are shown at once.
  private static let mostValues = 8

  /// The values by which the list can be chosen further, and a form for any other condition.
  var sidebar: Markup {
    let isCut = [.partial(.deadline), .partial(.notStored)].contains(facets?.summary.verdict)
    let isCounted = facets != nil && (!isCut || call.text(.facets) != nil)
    let groups = isCounted ? facets?.facets.compactMap(group) ?? [] : []
    let basis: Markup = "<p>Counted in \("the first ", if: isCut)\(facets?.count ?? 0) \(name).</p>\n"
    let all = Markup.link("Count the values of all \(name)", to: here.with(FaceParameter.facets.name, "true"))
    return """
      <aside class="facets" aria-label="Filters"><details class="fold"><summary>Filters</summary>
      \(Markup(groups))\(basis, if: !groups.isEmpty)\("<p>\(all)</p>\n", if: !isCounted)\(condition)\(past, if: Verb.changes.isOffered(by: descriptor))</details></aside>

      """
  }

  /// The values of a field, of which the most frequent are shown at once. Nil for a field with one value, which chooses nothing.
  private func group(_ facet: Facet) -> Markup? {
    let isOn = facet.choices.contains { here.has("where", $0.conditions) }
    guard facet.choices.count > 1 || isOn else { return nil }
    let items = facet.choices.map { choice -> Markup in
      let text = choice.value.isNull ? "missing" : shownText(choice.value)
      let link = Markup.link(
        text.isEmpty ? "empty" : text, to: fromStart.toggling("where", choice.conditions),
        isCurrent: here.has("where", choice.conditions))
      return "<li>\(link) <span class=\"n\">\(choice.count)</span></li>\n"
    }
    let rest = items.dropFirst(Self.mostValues)
    let further: Markup = "<details><summary>\(rest.count) more</summary><ul>\n\(Markup(rest))</ul></details>\n"
    return """
      <section><h3>\(facet.label)</h3><ul>
      \(Markup(items.prefix(Self.mostValues)))</ul>
      \(further, if: !rest.isEmpty)\("<p>\(facet.others) further values</p>\n", if: facet.others > 0)</section>

      """
  }

  /// A form for the list as it was at a time.
  private var past: Markup {
    """
    <form class="condition" action="\(call.page(of: descriptor).text)"><h3>As it was stored (UTC)</h3>
    \(fromStart.without("as-of", "offline", "stored", "live", "refresh", "max-age").hiddenFields)<input type="datetime-local" name="as-of" \
    max="\(String(call.now.iso.prefix(16)))" aria-label="Time, UTC" required><button>Show</button>
    </form>

    """
  }

  /// A form for one more condition.
  private var condition: Markup {
    let fields = columns.fields.leaves.map { leaf -> Markup in "<option value=\"\(leaf.path.text)\">\(leaf.path.label)</option>"
    }
    let signs: KeyValuePairs = ["=": "is", "!=": "is not", "~": "contains", ">": "is more than", "<": "is less than"]
    return """
      <form class="condition" action="\(call.page(of: descriptor).text)"><h3>Any other condition</h3>
      \(fromStart.hiddenFields)<select name="field" aria-label="Field">\(Markup(fields))</select>
      <select name="is" aria-label="Comparison">\
      \(Markup(signs.map { "<option value=\"\($0.key)\">\($0.value)</option>" }))</select>
      <input name="value" aria-label="Value" autocomplete="off"><button>Filter</button>
      </form>

      """
  }
}
