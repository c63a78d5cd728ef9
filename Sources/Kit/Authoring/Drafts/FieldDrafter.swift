import AggregatorCore
import Recordings
import Services

/// Makes the fields of a draft from recorded rows, with their names, their paths and their types.
struct FieldDrafter {
  /// The most fields of a draft; hardly anyone reads more.
  private static let most = 60
  private static let mostParts = 12
  private static let mostColumns = 6

  private(set) var fields: [ManifestField] = []
  /// The number of fields beyond `most`, which the draft does not have.
  private(set) var leftOut = 0
  /// The path of each field's value in a row. The names of the objects in a list have no single path, so their path ends in `[*]`.
  private var paths: [ValuePath] = []
  private let unwrap: ValuePath?
  private let isSnake: Bool

  /// Drafts the fields of `rows`. `key` and `title` are paths in a row; several are joined to one title. `unwrap` is the member whose members are read like the row's own.
  ///
  /// The order of the steps counts. The key is added before the other fields, so it comes first. The key and the title get their roles before
  /// the presentation is chosen, which depends on them.
  init(of rows: [Value], key: ValuePath?, title: [ValuePath], unwrap: ValuePath?) {
    self.unwrap = unwrap
    let inner = unwrap.map { path in rows.compactMap { $0[path] } } ?? []
    isSnake = (rows + inner).contains { $0.members?.contains { $0.name.dropFirst().utf8.contains(UInt8(ascii: "_")) } ?? false }
    if let key { add(rows.compactMap { $0[key] }, at: key.relative(to: unwrap)) }
    read(rows, below: ValuePath())
    read(inner, below: ValuePath())
    if let index = key.flatMap(index) { fields[index].becomeKey() }
    let titles = title.compactMap(index)
    if titles.count > 1 { join(titles) } else if let index = titles.first { fields[index].becomeTitle() }
    choosePresentation(of: rows)
    // The title has their texts already.
    for index in titles.count > 1 ? title.compactMap(index) : [] where fields[index].width != .whole {
      fields[index].width = .extra
    }
  }

  func name(at path: ValuePath) -> String? { index(of: path).map { fields[$0].name } }

  private func index(of path: ValuePath) -> Int? {
    paths.indices.first { paths[$0] == path.relative(to: unwrap) && fields[$0].text == nil }
  }

  /// Adds a field after the last of these, which has their texts with spaces between them. It is the title.
  private mutating func join(_ parts: [Int]) {
    let names = [isSnake ? "full_name" : "fullName", isSnake ? "whole_title" : "wholeTitle"]
    guard let last = parts.max(), let name = (["name"] + names).first(where: isFree)
    else { return }
    for index in parts { fields[index].isSearchable = fields[index].type == .text }
    var field = ManifestField(name, at: ValuePath([name]), as: .text)
    field.text = Template(parts.map { "{\(fields[$0].name)}" }.joined(separator: " "))
    field.becomeTitle()
    fields.insert(field, at: last + 1)
    paths.insert(ValuePath([name]), at: last + 1)
  }

  // MARK: - Collecting

  private mutating func read(_ objects: [Value], below path: ValuePath) {
    for (name, members) in objects.flatMap({ $0.members ?? [] }).inGroups(by: \.name) where path.appending(name) != unwrap {
      add(members.map(\.value), at: path.appending(name))
    }
  }

  private mutating func add(_ values: [Value], at path: ValuePath) {
    let values = values.filter { $0 != .null && $0 != .text("") }
    let parts = Set(values.flatMap { $0.members ?? [] }.map(\.name))
    let isObject = !values.isEmpty && values.allSatisfy { $0.members != nil }
    if isObject, path.names.count < 3, parts.count <= Self.mostParts { return read(values, below: path) }
    let type = ManifestField.Kind(of: values, called: path.names.last ?? "")
    // Rich text in parts is read as one text.
    let isRich = values.contains { $0.joinedParts != nil } && values.allSatisfy { $0 == .list([]) || $0.joinedParts != nil }
    if isRich { return append(path, each: Value.partText, .text) }
    // A search looks at the names of the objects in a list. If the objects have other members, a
    // second field keeps the whole objects.
    let name = type == .json ? Self.name(in: values) : nil
    let isMore = values.contains { $0.list?.contains { $0.members?.count != 1 } ?? false }
    if let name { append(path, each: name, .texts, isBeside: isMore) }
    if name == nil || isMore { append(path, type) }
  }

  /// True when no field has that name, in upper or lower case.
  private func isFree(_ name: String) -> Bool { !fields.contains { $0.name.lowercased() == name.lowercased() } }

  /// Adds a field for the value at `path`, or for the member `each` of all elements there. `isBeside`
  /// is true when the elements get a field as well.
  private mutating func append(
    _ path: ValuePath, each member: String? = nil, _ type: ManifestField.Kind, isBeside: Bool = false
  ) {
    let fullPath = member.flatMap { ValuePath(steps: path.steps + [.each, .member($0)]) } ?? path
    if fields.contains(where: { $0.path == fullPath }) { return }
    guard fields.count < Self.most else { return leftOut += 1 }
    let name = Self.spelled(path.names + (isBeside ? [member].compactMap(\.self) : []), isSnake)
    let names = [name] + (2..<Self.most + 2).map { "\(name)_\($0)" }
    let free = names.first(where: isFree)
    fields.append(ManifestField(free ?? name, at: fullPath, as: type))
    paths.append(type == .texts && member != nil ? path.appending("[*]") : path)
  }

  /// Returns the member that every object in the lists has as a text: `name`, `title` or `label`.
  private static func name(in values: [Value]) -> String? {
    let elements = values.flatMap { $0.list ?? [] }
    guard !elements.isEmpty, values.allSatisfy({ $0.list != nil }) else { return nil }
    return ["name", "title", "label"].first { name in elements.allSatisfy { $0[name]?.text != nil } }
  }

  /// Joins names to one of letters, digits and underscores, as the service spells its names:
  /// `owner_login` or `ownerLogin` for `owner.login`.
  private static func spelled(_ names: [String], _ isSnake: Bool) -> String {
    let words = names.withoutMarks.map { name in
      String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }
    let joined = words.dropFirst().reduce(words.first ?? "") { name, word in
      isSnake ? "\(name)_\(word)" : name + word.prefix(1).uppercased() + word.dropFirst()
    }
    let plain = String(joined.drop { $0 == "_" }.prefix(50))
    return plain.first?.isLetter == true ? plain : "field\(plain.isEmpty ? "" : "_")\(plain)"
  }

  // MARK: - Presentation

  /// Chooses the picture, the link, the fields that a search looks at, and the width of each field in a table. A few short fields are
  /// always columns. Other flat fields are columns if there is extra room, and objects are hidden.
  private mutating func choosePresentation(of rows: [Value]) {
    var room = Self.mostColumns
    for index in fields.indices {
      let field = fields[index]
      let values = rows.compactMap { row in unwrap.flatMap { row[$0]?[paths[index]] } ?? row[paths[index]] }.map(
        \.joiningParts)
      if field.type == .address, field.role == .plain {
        fields[index].role = role(of: field, values)
        fields[index].width = .extra
        continue
      }
      let texts = values.compactMap(\.text)
      let hasWords = texts.contains { $0.contains { $0.isLetter } } || texts.allSatisfy(isDotted)
      let isWordy = field.type == .text && !texts.isEmpty && hasWords
      if isWordy || field.type == .html || field.type == .texts, field.width != .whole { fields[index].isSearchable = true }
      if field.text != nil || field.role == .title || field.width == .whole {
        room -= 1
        continue
      }
      let isShort = values.allSatisfy { ($0.word ?? "").count <= 32 }
      let isColumn = ![.json, .html].contains(field.type) && isShort && !values.isEmpty && room > 0
      if isColumn { room -= 1 } else { fields[index].width = field.type == .json ? .hidden : .extra }
    }
  }

  /// True for four numbers with dots, such as an IP address: people search for a part of one.
  private func isDotted(_ text: String) -> Bool {
    let numbers = text.split(separator: ".", omittingEmptySubsequences: false)
    return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
  }

  private func role(of field: ManifestField, _ values: [Value]) -> FieldRole {
    let name = field.name.lowercased()
    func has(_ role: FieldRole) -> Bool { fields.contains { $0.role == role } }
    let isPicture =
      ["image", "picture", "avatar", "thumb", "photo", "icon", "logo", "cover"].contains { name.contains($0) }
      || values.compactMap(\.text).contains { text in
        [".png", ".jpg", ".jpeg", ".gif", ".webp"].contains { text.prefix { $0 != "?" }.lowercased().hasSuffix($0) }
      }
    if isPicture { return has(.picture) ? .plain : .picture }
    let isPage = ["html_url", "htmlurl", "url", "link", "permalink", "web_url", "weburl", "links_html"].contains(name)
    return isPage && !has(.link) ? .link : .plain
  }
}

extension ValuePath {
  /// Returns the path as a manifest writes it, where the members of the unwrapped object count as the row's own.
  func relative(to wrapper: ValuePath?) -> ValuePath {
    wrapper.flatMap(after) ?? self
  }
}

extension ManifestField {
  /// Makes it a text unless it is a whole number, and keeps tables from cutting it.
  fileprivate mutating func becomeKey() {
    if type != .integer { type = .text }
    width = .whole
  }

  fileprivate mutating func becomeTitle() {
    (role, width) = (.title, width == .whole ? .whole : .flexible)
    if type == .text || type == .html { isSearchable = true }
  }
}

extension ManifestField.Kind {
  /// The type that fits all of `values`, which are called `name`; null and "" must be left out before.
  init(of values: [Value], called name: String) {
    func all(_ test: (Value) -> Bool) -> Bool { values.allSatisfy(test) }
    func texts(_ test: (String) -> Bool) -> Bool { all { $0.text.map(test) ?? false } }
    if values.isEmpty {
      self = .json
    } else if all({ if case .bool = $0 { true } else { false } }) {
      self = .boolean
    } else if values.areUnixTimes(called: name) {
      self = .unix
    } else if all({ if case .int = $0 { true } else { false } }) {
      self = .integer
    } else if all({ $0.text == nil && $0.word.map { Double($0) != nil } ?? false }) {
      self = .number
    } else if texts({ CalendarDay(iso: $0) != nil && $0.utf8.count == 10 }) {
      self = .date
    } else if texts({ Moment(iso: $0) != nil && $0.utf8.count > 10 || HTTPDate.moment($0) != nil }) {
      self = .time
    } else if texts({ ($0.hasPrefix("https://") || $0.hasPrefix("http://")) && WebAddress($0) != nil }) {
      self = .address
    } else if values.count > 2, texts(Self.isDecimal), values.contains(where: { $0.text?.contains(".") ?? false }),
      !NameWords.words(in: name).contains(where: {
        ["code", "id", "key", "no", "nr", "number", "version"].contains($0.lowercased())
      })
    {
      self = .decimal
    } else if all({ $0.text != nil }), values.contains(where: { $0.text.map(Self.isHTML) ?? false }) {
      self = .html
    } else if all({ $0.word != nil }) {
      self = .text
    } else if all({ $0.list.map { $0.allSatisfy { $0.word != nil } } ?? false }) {
      self = .texts
    } else {
      self = .json
    }
  }

  /// True for `-12.50`, but not for `007`.
  private static func isDecimal(_ text: String) -> Bool {
    let parts = text.drop { $0 == "-" }.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } } && text.utf8.count <= 30
      && !text.hasPrefix("--") && (parts[0] == "0" || !parts[0].hasPrefix("0"))
  }

  private static func isHTML(_ text: String) -> Bool {
    text.contains("</") && text.contains("<") || text.contains("<br") || text.contains("<p>")
  }
}
