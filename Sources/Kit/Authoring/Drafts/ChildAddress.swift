package import AggregatorCore
import Recordings
package import Services

/// An address that names a field of another source's records, such as `https://api.example.com/projects/{projects.id}/tasks`: each of these
/// records has such a list.
package struct ChildAddress: Sendable, Hashable {
  /// The source whose records have the lists.
  package let parent: String
  /// The field of these records in the address.
  package let field: String
  /// The address before and after the field.
  private let (start, end): (String, String)

  /// Reads an address as a person types it; nil for one without such a field.
  package init?(_ text: String) throws(SourceError) {
    guard let open = text.firstIndex(of: "{"), let close = text[open...].firstIndex(of: "}"),
      String(text[..<open]).contains("://")
    else { return nil }
    let names = text[text.index(after: open)..<close].split(separator: ".", maxSplits: 1).map(String.init)
    guard names.count == 2 else { return nil }
    (parent, field) = (names[0], names[1])
    (start, end) = (String(text[..<open]), String(text[text.index(after: close)...]))
    guard !start.contains("?"), !end.contains("{"), start.hasSuffix("/"), end.isEmpty || "/?.".contains(end.first ?? " ") else {
      throw SourceError(
        .settings, "a list below another one is at an address with one field of it, which is a whole segment of the path",
        remedy: "write it like https://api.example.com/projects/{projects.id}/tasks")
    }
  }

  /// Returns the address below the record with this value; nil if the value cannot be a segment of a path.
  package func address(below value: String) -> String? { PercentEncoding.segment(value).map { start + $0 + end } }

  /// The path of the list as a manifest has it, for a service at `base`. Throws if the service is another one.
  fileprivate func template(below base: WebAddress) throws(SourceError) -> Template {
    // A segment that no path has stands for the field meanwhile.
    let mark = "-the-field-"
    guard let address = WebAddress(start + mark + end), address.origin == base.origin, address.path.hasPrefix(base.path) else {
      throw SourceError(
        .settings, "a list below \(parent) is at the address of \(parent), which is \(base.shown)",
        remedy: "type an address that begins with it")
    }
    return Template(String(address.path.dropFirst(base.path.count)).replacingEach(mark, with: "{\(parent).\(field)}"))
  }
}

extension Draft {
  /// Returns the manifest of the parent with this list below it; the rest of the file stays as it was written.
  package func below(_ address: ChildAddress, in contents: ManifestContents) throws -> [UInt8] {
    let own = try self.contents.manifest
    guard let base = contents.manifest.address?.defaultValue.flatMap({ WebAddress($0) }), var child = own.sources.first else {
      throw SourceError(.settings, "\(contents.manifest.file) has no address")
    }
    (child.parent, child.list.request.path) = (address.parent, try address.template(below: base))
    let known = contents.manifest.headers.map(\.name)
    child.list.request.headers += own.headers.filter { !known.contains($0.name) }
    // A list below another one is found and looked up by reading it, and its recording lacks the parents.
    (child.search, child.detail, child.changes, child.recording) = (nil, nil, nil, nil)
    var name = NameWords.singular(address.parent)
    while child.fields.contains(where: { $0.name == name }) { name += "_of_\(address.parent)" }
    var above = ManifestField(name, at: ValuePath(name) ?? "", as: .text)
    above.text = Template("{\(address.parent).\(address.field)}")
    // Two of them may have a record of the same id.
    let parts = [name] + child.keyFields
    let fields = [above] + child.fields.dropFirst(child.keyParts.isEmpty ? 0 : 1)
    (child.key, child.keyParts, child.fields) = (ManifestField.jointKey.name, parts, [.jointKey] + fields)
    return try contents.adding(child)
  }
}
