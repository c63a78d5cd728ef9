import AggregatorCore
package import Bodies

extension ManifestSource {
  /// The format of its answers, with what its paths need of it. `errors` are the rules of its service.
  package func format(besides errors: [ErrorRule] = []) -> BodyFormat {
    var format = BodyFormat(body)
    if body == .xml { format.elements = elements(errors + self.errors) }
    if body.isTable, list.rows.path.steps.isEmpty, list.rows.unwrap == nil { format.columns = columns }
    return format
  }

  /// The columns of a table that its fields read. A column that a text field reads has texts only.
  private var columns: [String: BodyFormat.Column] {
    var columns: [String: BodyFormat.Column] = [:]
    for field in fields where field.text == nil {
      guard case .member(let name) = field.path.steps.first else { continue }
      let isKey = field.name == key || keyParts.contains(field.name)
      let mayBeJSON = ![.text, .html, .address, .time, .date].contains(field.type)
      let other = columns[name]
      columns[name] = BodyFormat.Column(
        mayBeJSON: mayBeJSON && other?.mayBeJSON ?? true, isNeeded: isKey || field.isRequired || other?.isNeeded ?? false)
    }
    return columns
  }

  /// The shape of the elements that its paths lead to.
  private func elements(_ errors: [ErrorRule]) -> XMLShape {
    var shape = XMLShape()
    if let detail { noteFields(at: detail.row.steps, &shape) }
    for listing in [list, search].compactMap(\.self) {
      let (row, paging) = (listing.rows.path.steps, listing.paging)
      shape.note(row, isList: true)
      noteFields(at: row + [.each], &shape)
      let next = paging.way.kind == .last ? nil : paging.way.next
      let numbers = [paging.total, paging.pages].compactMap { if case .body(let path) = $0 { path } else { nil } }
      for path in numbers + [next, paging.more?.path].compactMap(\.self) { shape.note(path.steps, isText: true) }
    }
    for path in errors.flatMap({ [$0.path, $0.message] }).compactMap(\.self) { shape.note(path.steps, isText: true) }
    return shape
  }

  private func noteFields(at row: [ValuePath.Step], _ shape: inout XMLShape) {
    let (inner, way) = (list.rows.unwrap.map { row + $0.steps }, list.paging.way)
    for place in [row, inner].compactMap(\.self) {
      for field in fields where field.text == nil { shape.note(place + field.path.steps, isText: field.type != .json) }
      if way.kind == .last, let next = way.next { shape.note(place + next.steps, isText: true) }
    }
  }
}
