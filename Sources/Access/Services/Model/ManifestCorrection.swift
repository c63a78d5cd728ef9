package import AggregatorCore
import Platform

/// A correction of a source's description, after the rows of its service have changed.
package enum ManifestCorrection: Sendable, Hashable {
  /// A field has another type.
  case type(of: String, ManifestField.Kind, was: ManifestField.Kind)
  /// The rows have a member that the description lacks; the new field has a name of its own if the member's cannot be one.
  case new(String, name: String, ManifestField.Kind)
  /// A row need not have a field any more.
  case optional(String)

  /// The name of the field.
  package var field: String {
    switch self {
    case .type(let field, _, _), .new(let field, _, _), .optional(let field): field
    }
  }

  /// The correction for a person: `battery: integer becomes text`.
  package var sentence: String {
    switch self {
    case .type(let field, let kind, let former): "\(field): \(former.rawValue) becomes \(kind.rawValue)"
    case .new(let field, let name, let kind):
      "\(field): a new field\(name == field ? "" : " called \(name)"), \(kind.rawValue); it gets values at the next sync"
    case .optional(let field): "\(field): rows without it are read too"
    }
  }
}

extension ManifestSource {
  /// Returns the corrections by which its description fits rows that have drifted in these ways.
  package func corrections(for drifts: [ShapeDrift]) -> [ManifestCorrection] {
    var names = Set(fields.map(\.name))
    return drifts.compactMap { drift in
      guard let name = drift.field else { return nil }
      let field = fields.first { $0.name == name }
      switch (drift.kind, field) {
      case (.mistyped, let field?):
        let kind = field.type.widened(by: drift.types)
        return kind == field.type ? nil : .type(of: name, kind, was: field.type)
      case (.new, nil):
        let own = ManifestField.name(for: name, besides: names)
        names.insert(own)
        return .new(name, name: own, ManifestField.Kind(holding: drift.types))
      case (.absent, let field?) where field.isRequired: return .optional(name)
      default: return nil
      }
    }
  }
}

extension ManifestField {
  /// Returns a name for the field of a member. The characters that a field's name cannot have become `_`.
  fileprivate static func name(for member: String, besides others: Set<String>) -> String {
    let letters = member.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    let text = String(letters.drop { $0 == "_" })
    let name = isName(member) ? member : isName(text) ? text : text.isEmpty ? "field" : "field_\(text)"
    let names = [name] + (2...others.count + 2).map { "\(name)_\($0)" }
    return names.first { !others.contains($0) } ?? name
  }
}

extension ManifestField.Kind {
  /// The narrowest kind that holds values of all these types.
  fileprivate init(holding types: [String]) {
    let types = Set(types)
    self =
      types.contains("json")
      ? .json
      : types == ["integer"]
        ? .integer
        : !types.isEmpty && types.isSubset(of: ["integer", "number"]) ? .number : types == ["boolean"] ? .boolean : .text
  }

  /// Returns the kind that holds the values of this kind and of these types.
  fileprivate func widened(by types: [String]) -> ManifestField.Kind {
    if self == .json || types.contains("json") { return .json }
    let isNumber = !types.isEmpty && Set(types).isSubset(of: ["integer", "number"])
    return self == .integer && isNumber ? .number : .text
  }
}

extension ManifestContents {
  /// Returns the bytes of the file with the corrections of one source; the rest stays as it was written.
  package func corrected(_ corrections: [ManifestCorrection], of source: String) throws -> [UInt8] {
    try corrections.reduce(bytes) { try Self.corrected($0, $1, of: source) }
  }

  private static func corrected(_ bytes: [UInt8], _ correction: ManifestCorrection, of source: String) throws -> [UInt8] {
    let fields = try Array(JSON(bytes).object("sources").object(source).array("fields"))
    func replacing(_ range: Range<Int>, by text: String) -> [UInt8] {
      Array(bytes[..<range.lowerBound] + Array(text.utf8) + bytes[range.upperBound...])
    }
    if case .new(let path, let name, let kind) = correction {
      guard let last = fields.last else { return bytes }
      // The new field is set apart like the one before it.
      let gap = fields.count > 1 ? Array(bytes[fields[fields.count - 2].raw.endIndex..<last.raw.startIndex]) : Array(", ".utf8)
      var members = [Member(name: "name", value: .text(name))]
      let path = ValuePath([path]).text
      if path != name { members.append(Member(name: "path", value: .text(path))) }
      if kind != .text { members.append(Member(name: "type", value: .text(kind.rawValue))) }
      let end = last.raw.endIndex
      return replacing(end..<end, by: String(decoding: gap + Value.object(members).bytes, as: UTF8.self))
    }
    guard let field = try fields.first(where: { try $0.string("name") == correction.field }) else { return bytes }
    let (member, value) =
      if case .type(_, let kind, _) = correction { ("type", "\"\(kind.rawValue)\"") } else { ("required", "false") }
    if let old = field[member] { return replacing(old.raw.startIndex..<old.raw.endIndex, by: value) }
    let end = field.raw.endIndex - 1
    return replacing(end..<end, by: ", \"\(member)\": \(value)")
  }
}

extension ManifestFolders {
  /// Writes the corrections of one source into its file, which keeps its permissions.
  package func correct(
    _ name: String, _ corrections: [ManifestCorrection], in contents: ManifestContents, beside catalogue: Catalogue
  ) throws {
    let isAllowed = permissions.state(of: contents) == .allowed
    try replace(contents, with: contents.corrected(corrections, of: name), allowing: isAllowed, beside: catalogue)
  }

  /// Writes other bytes into the file of a manifest, with permissions if `isAllowed`. Throws if the file has changed since it was read, or may
  /// only be read.
  package func replace(
    _ contents: ManifestContents, with bytes: [UInt8], allowing isAllowed: Bool, beside catalogue: Catalogue
  ) throws {
    let (file, new) = (contents.manifest.file, try ManifestContents(bytes, at: contents.manifest.file))
    do throws(FileProblem) {
      let path = try SystemFiles().following(file)
      let present = try SystemFiles().read(path, upTo: ManifestIndex.largest)
      guard present.bytes == contents.bytes else { throw .failed("it was changed meanwhile; type the command again") }
      guard present.permissions & 0o222 != 0 else { throw .failed("it may only be read") }
      try SystemFiles().replace(path, with: bytes, ending: ".part", permissions: present.permissions)
    } catch {
      throw SourceError(.storage, "cannot write \(file): \(error.reason)")
    }
    if isAllowed { try permissions.allow(new, beside: catalogue) }
  }
}
