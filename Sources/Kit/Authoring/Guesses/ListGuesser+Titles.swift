import AggregatorCore
import Recordings

// MARK: - The member that wraps a record

extension ListGuesser {
  private static let wrappers = Set(
    words: "attributes content data document fields item node properties record resource snippet source value")
  /// Members beside a wrapper that say nothing about the record itself.
  private static let labels = Set(
    words: "cursor etag expand href id index key kind object score self type typename uri url version")

  /// Returns the member that wraps each record: one with a usual name, or the only object if the row has hardly anything beside it.
  static func wrapper(of rows: [Value]) -> ValuePath? {
    guard let members = rows.first?.members else { return nil }
    func substance(_ row: Value?) -> Int {
      row?.members?.count { member in
        let name = Parameter(.body, member.name).plainName
        return member.value.members == nil && member.value.list == nil && !labels.contains(name) && !name.hasSuffix("_at")
      } ?? 0
    }
    let objects = members.map(\.name).filter { name in rows.allSatisfy { $0[name]?.members != nil } }
    let named = objects.filter { wrappers.contains(Parameter(.body, $0).plainName) }
    let outside = rows.map(substance).max() ?? 0
    // Without a usual name, the members outside must have no substance.
    let isLone = named.isEmpty && objects.count == 1 && outside == 0 && !members.contains { $0.value.list != nil }
    let inside = (isLone ? objects : named).map { name in (name: name, substance: rows.map { substance($0[name]) }.max() ?? 0) }
    return inside.max { $0.substance < $1.substance }.flatMap { $0.substance > outside ? ValuePath([$0.name]) : nil }
  }

  // MARK: - Titles

  private static let titles: [String: Double] = [
    "name": 4, "title": 4, "label": 3.5, "display_name": 3.5, "displayname": 3.5, "full_name": 3.5, "fullname": 3.5,
    "headline": 3.5, "caption": 3.5, "subject": 3.5, "summary": 3.5, "product_name": 3.5, "productname": 3.5,
    "first_name": 3, "firstname": 3, "username": 2.5, "login": 2.5, "handle": 2, "place": 1.6, "text": 1.5,
    "content": 1.5, "body": 1.4, "description": 1.4, "message": 1.4, "email": 1.4,
  ]
  /// Names of fields that group records instead of naming one.
  private static let sorts: Set<String> = [
    "category", "class", "color", "currency", "gender", "kind", "lang", "language", "locale", "nat", "object", "role",
    "state", "status", "type", "typename", "vendor", "visibility",
  ]
  private static let sample = 200

  /// Returns the field that most likely names the record: a text in most rows, with different values, near the
  /// surface or in the wrapper, and called like a title.
  static func title(of rows: [Value], in wrapper: ValuePath?, key: ValuePath?) -> Guess<ValuePath>? {
    let rows = rows.prefix(sample).map(\.joiningParts)
    let paths = rows.prefix(5).flatMap { $0.scalars(depth: 3).prefix(300) }.filter { $0.value.text != nil }.map(\.path)
      .inGroups(by: \.self)
      .map(\.key)
    let weighed = paths.map { path in
      let isPart = !nameParts(at: path, in: Array(rows)).isEmpty
      return (path: path, weight: weight(of: path, in: rows, wrapper, key, isNamePart: isPart))
    }
    guard let best = weighed.max(by: { $0.weight < $1.weight }), best.weight > 0 else { return nil }
    let texts = rows.compactMap { $0[best.path]?.text }
    // A number, a date, an address or a code is not a better title than the key.
    if best.weight < 0.25, let key { return Guess(key, .weak, "no field tells them apart better") }
    let evidence = "\(Set(texts).count) different texts in \(rows.count) rows"
    let isNamed =
      (best.path.names.withoutMarks.last.map { Parameter(.body, $0).plainName.titleWeight(titles, sorts) } ?? 0) >= 3
    if best.weight < 1, !isNamed { return Guess(best.path, .weak, "\(evidence), but its name does not suggest it") }
    return Guess(best.path, rows.count > 3 && best.weight > 2 ? .strong : .fair, evidence)
  }

  /// The plain names of given names, and of family names.
  private static let givenNames = Set(words: "first_name firstname first given_name givenname given forename")
  private static let familyNames = Set(words: "last_name lastname last family_name familyname family surname")

  /// Returns the paths of the texts that name a row together if the one at this path is only a part of its name.
  static func titlePaths(_ path: ValuePath, in rows: [Value]) -> [ValuePath] {
    let parts = nameParts(at: path, in: rows)
    return parts.isEmpty ? [path] : parts
  }

  /// Returns the paths of the given name and the family name if `path` is one of them and the other stands beside it; empty otherwise.
  private static func nameParts(at path: ValuePath, in rows: [Value]) -> [ValuePath] {
    guard givenNames.contains(path.plainName) || familyNames.contains(path.plainName) else { return [] }
    let outer = ValuePath(Array(path.names.dropLast()))
    let beside = rows.prefix(5).flatMap { ($0[outer]?.members ?? []).filter { $0.value.text != nil }.map(\.name) }
    func part(_ names: Set<String>) -> ValuePath? {
      beside.first { names.contains(Parameter(.body, $0).plainName) }.map { outer.appending($0) }
    }
    guard let given = part(givenNames), let family = part(familyNames) else { return [] }
    return [given, family]
  }

  private static func weight(of path: ValuePath, in rows: [Value], _ wrapper: ValuePath?, _ key: ValuePath?, isNamePart: Bool)
    -> Double
  {
    let texts = rows.compactMap { $0[path]?.text }.filter { !$0.isEmpty }
    let different = Set(texts).count
    guard different > 1 || rows.count == 1 && different == 1 else { return 0 }
    // The share of the rows that this text tells apart; rows without it count against it.
    let distinction = Double(different) / Double(rows.count)
    var names = path.names.withoutMarks.map { Parameter(.body, $0).plainName }
    if let wrapper, path.names.starts(with: wrapper.names) { names.removeFirst(wrapper.names.count) }
    guard let name = names.last else { return 0 }
    var weight = isNamePart ? max(3, name.titleWeight(titles, sorts)) : name.titleWeight(titles, sorts)
    if names.count > 1 {
      // `title.rendered` is the title, but `author.name` names someone else.
      let outer = names[0].titleWeight(titles, sorts)
      weight = outer > 2.9 ? outer * 0.9 : weight * 0.3
    }
    if path == key { weight *= 0.9 }
    return weight * distinction * (texts.map(\.likeness).reduce(0, +) / Double(texts.count))
  }
}

extension String {
  /// Returns the weight of a field with this plain name as a title; 4 at most.
  fileprivate func titleWeight(_ titles: [String: Double], _ sorts: Set<String>) -> Double {
    if let weight = titles[self] { return weight }
    if sorts.contains(self) { return 0.1 }
    return hasSuffix("name") || hasSuffix("title") ? 3 : 0.8
  }

  /// The likeness to a title, from 0 to 1. Numbers, dates, addresses and tokens are not like titles.
  fileprivate var likeness: Double {
    if Double(self) != nil || Moment(iso: self) != nil || WebAddress(self) != nil || !contains(where: \.isLetter) {
      return 0.02
    }
    let digits = count(where: \.isNumber)
    // Identifiers, and dates in words.
    if digits * 3 > count { return 0.25 }
    if contains("@"), !contains(where: \.isWhitespace) { return 0.2 }
    if digits > 0, !contains(where: \.isWhitespace) { return 0.6 }
    return utf8.count > 200 ? 0.6 : 1
  }
}
