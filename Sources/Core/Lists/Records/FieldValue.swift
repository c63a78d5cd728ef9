/// The form of a row: a record's own fields by their names, or a row of the service, which may name and write them differently.
public enum RowForm: Sendable {
  /// `own` as it was stored or printed; `service` as it came.
  case own, service
}

/// A type that a field can hold: a text, a number, an enum with raw values, a ``Part``, and optionals, lists and sets of those.
///
///     enum State: String, FieldValue { case open, paid }
public protocol FieldValue: Sendable {
  /// Reads the value from JSON. Throws an error that says where the value is and what was expected.
  init(_ json: JSON, as form: RowForm) throws
  /// The value for writing, showing and comparing. Reading it again gives an equal value.
  var fieldValue: Value { get }
  /// The value of a field whose member is missing or null; nil if such a row cannot be read.
  static var missing: Self? { get }
  /// The values inside. A plain value is one leaf, such as `.text` or `.integer`; `.plain` if its kind is unknown.
  static var leaves: [Leaf] { get }
  /// The pattern that writes a part as one line; nil if its values are listed with commas.
  static var lineFormat: LineFormat? { get }
}

extension FieldValue {
  @inlinable public static var missing: Self? { nil }
  public static var leaves: [Leaf] { .plain }
  public static var lineFormat: LineFormat? { nil }
}

extension String: FieldValue {
  @inlinable public init(_ json: JSON, as form: RowForm) throws { self = try json.asString() }
  @inlinable public var fieldValue: Value { .text(self) }
  public static var leaves: [Leaf] { .text }
}

extension Int: FieldValue {
  @inlinable public init(_ json: JSON, as form: RowForm) throws { self = try json.asInt() }
  @inlinable public var fieldValue: Value { .int(self) }
  public static var leaves: [Leaf] { .integer }
}

extension Double: FieldValue {
  /// Reads a number. One that is too large for this type, or too near to zero, is refused, because it could not be written again.
  @inlinable public init(_ json: JSON, as form: RowForm) throws {
    self = try json.asDouble()
    guard isFinite else { throw json.mismatch("a smaller number") }
    if isZero, json.hasNonzeroDigit { throw json.mismatch("a number that is farther from zero") }
  }
  @inlinable public var fieldValue: Value { .double(self) }
  public static var leaves: [Leaf] { .number }
}

extension JSON {
  /// Reads a number for a record that keeps what does not fit. Throws also if a `Double` lacks some of its digits.
  package func asExactDouble(as form: RowForm) throws -> Double {
    let (double, raw) = (try Double(self, as: form), raw)
    // 15 digits are always kept.
    guard raw.count > 15 else { return double }
    let text = String(decoding: kind == .string ? raw.dropFirst().dropLast() : raw, as: UTF8.self)
    guard Numeral(text)?.isKept(by: double) ?? true else { throw mismatch("a number that 64 bits can hold") }
    return double
  }
}

extension Bool: FieldValue {
  /// Reads `true` and `false` as services write them: also 1 and 0, `"true"` and `"false"`, `"yes"` and `"no"`.
  @inlinable public init(_ json: JSON, as form: RowForm) throws { self = try json.asYesOrNo() }
  @inlinable public var fieldValue: Value { .bool(self) }
  public static var leaves: [Leaf] { .bool }
}

extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
  /// Reads the case with that raw value. A row with another value cannot be read, unless the property is optional and the value is missing.
  public init(_ json: JSON, as form: RowForm) throws {
    guard let value = Self(rawValue: try RawValue(json, as: form)) else { throw json.unknownValue(of: Self.self) }
    self = value
  }

  public var fieldValue: Value { rawValue.fieldValue }
  public static var leaves: [Leaf] { RawValue.leaves }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  /// Reads nil from `null` and from an empty text.
  @inlinable public init(_ json: JSON, as form: RowForm) throws { self = json.saysNothing ? nil : try Wrapped(json, as: form) }
  @inlinable public var fieldValue: Value { self?.fieldValue ?? .null }
  @inlinable public static var missing: Self? { .some(nil) }
  public static var leaves: [Leaf] { Wrapped.leaves }
  public static var lineFormat: LineFormat? { Wrapped.lineFormat }
}

extension Array: FieldValue where Element: FieldValue {
  /// Reads the elements. Null elements are left out, unless the element type allows missing values.
  @inlinable public init(_ json: JSON, as form: RowForm) throws {
    let elements = try json.asArray()
    let keepsNulls = Element.missing != nil
    self = []
    reserveCapacity(elements.count)
    for element in elements where keepsNulls || !element.isNull { append(try Element(element, as: form)) }
  }

  // A closure, because a generic key path is created again for every list, which took an eighth of a whole sync.
  @inlinable public var fieldValue: Value { .list(map { $0.fieldValue }) }
  @inlinable public static var missing: Self? { [] }
  public static var leaves: [Leaf] { Element.leaves.listed }
  public static var lineFormat: LineFormat? { Element.lineFormat }
}

extension Set: FieldValue where Element: FieldValue {
  public init(_ json: JSON, as form: RowForm) throws { self = try Set([Element](json, as: form)) }
  /// A list, sorted by the written values, so that equal sets are written alike.
  public var fieldValue: Value { .list(map { $0.fieldValue }.map { ($0, "\($0)") }.sorted { $0.1 < $1.1 }.map { $0.0 }) }
  public static var missing: Self? { [] }
  public static var leaves: [Leaf] { Element.leaves.listed }
  public static var lineFormat: LineFormat? { Element.lineFormat }
}

extension Value: FieldValue {
  /// Reads any value.
  public init(_ json: JSON, as form: RowForm) throws { self = json.value }
  public var fieldValue: Value { self }
  public static var missing: Value? { .null }
  public static var leaves: [Leaf] { .list }
}

/// A part of a record, with fields of its own.
///
///     struct Address: Part {
///       var city: String?
///       static let fields: [Field<Address>] = [Field("city", \.city)]
///     }
public protocol Part: Fielded, FieldValue, Hashable {
  /// An empty part, into which the fields are read.
  init()
}

extension Part {
  /// Reads the fields.
  public init(_ row: JSON, as form: RowForm) throws {
    self.init()
    try read(row, as: form)
  }

  @inlinable public var fieldValue: Value { value }
  public static var leaves: [Leaf] {
    // `flatMap` and iterators look up their types for each type of part, at every start.
    let fields = fields
    var leaves: [Leaf] = []
    for index in 0..<fields.count { leaves.append(contentsOf: fields[index].outline.leaves) }
    return leaves
  }

  /// The part as a store holds it: a JSON object.
  var text: String { String(decoding: value.bytes, as: UTF8.self) }

  /// Reads ``text``; nil if it is missing or something else, since anybody may edit a store.
  init?(stored text: String?) {
    guard let text, let part = try? Self(JSON(Array(text.utf8)), as: .own) else { return nil }
    self = part
  }
}

extension CalendarDay: FieldValue {
  /// Reads the day at the beginning of `2024-02-29` or `2024-02-29T10:00:00Z`.
  public init(_ json: JSON, as form: RowForm) throws {
    guard let day = CalendarDay(iso: try json.asString()) else { throw json.mismatch("a day such as 2024-02-29") }
    self = day
  }

  public var fieldValue: Value { .text(description) }
  public static var leaves: [Leaf] { [Leaf(FieldPath(), .time)] }
}

extension Moment: FieldValue {
  /// Reads a time as services write it: `2024-02-29T10:00:00+02:00`, a day alone, `Thu, 29 Feb 2024 10:00:00 +0200`, or a number since
  /// 1970. The number counts seconds; from a hundred thousand million (the year 5138 in seconds) it counts milliseconds, but for the last
  /// second of the year 9999, which stands for a time that never comes.
  public init(_ json: JSON, as form: RowForm) throws {
    // To the millisecond, as it is written.
    guard let moment = try Moment(iso: Self.exact(json).iso) else { throw Self.mismatch(json) }
    self = moment
  }

  /// Returns the time that ``init(_:as:)`` reads, with all digits that a service wrote, up to nine: `2023-11-14T22:13:20.123456Z`.
  package static func text(_ json: JSON) throws -> String {
    let moment = try exact(json)
    let part = moment.sinceEpoch - .seconds(moment.seconds)
    var digits = String(1_000_000_000 + part.components.attoseconds / 1_000_000_000).dropFirst()
    while digits.count > 3, digits.last == "0" { digits.removeLast() }
    return "\(moment.iso.prefix(20))\(digits)Z"
  }

  /// Returns the time that a service wrote. ISO 8601 has four digits for a year, so other years are refused.
  private static func exact(_ json: JSON) throws -> Moment {
    let text = json.kind == .number ? String(decoding: json.raw, as: UTF8.self) : try json.asString().trimmingSpaces
    guard let moment = moment(text, isNumber: json.kind == .number), Moment(iso: moment.iso) != nil else {
      throw mismatch(json)
    }
    return moment
  }

  private static func mismatch(_ json: JSON) -> SourceError { json.mismatch("a time such as 2024-02-29T10:00:00Z") }

  /// Returns the time that a number since 1970 means, with nine digits of its fraction.
  private static func moment(number text: String) -> Moment? {
    guard let number = Double(text) else { return nil }
    let isInSeconds = number.magnitude < 1e11 || number == 253_402_300_799
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let digits = parts.count > 1 ? parts[1] : ""
    guard let whole = Int(parts[0]), digits.utf8.allSatisfy(Byte.isDigit) else {
      return Moment(sinceEpoch: .seconds(clamping: isInSeconds ? number : number / 1000))
    }
    let nine = Int64((digits + "000000000").prefix(9)) ?? 0
    let fraction = Duration.nanoseconds(text.hasPrefix("-") ? -nine : nine)
    return Moment(sinceEpoch: isInSeconds ? .seconds(whole) + fraction : .milliseconds(whole) + fraction / 1000)
  }

  /// A day has ten characters; nine digits or more are a number since 1970. PostgreSQL writes a blank for `T` and `+02` for `+02:00`.
  private static func moment(_ text: String, isNumber: Bool) -> Moment? {
    if text.utf8.count == 10, let day = CalendarDay(iso: text) { return Moment(day) }
    if isNumber || text.utf8.count > 8 && text.utf8.allSatisfy(Byte.isDigit) { return moment(number: text) }
    if let moment = HTTPDate.moment(text) { return moment }
    let parts = text.split(separator: " ", maxSplits: 1)
    let iso = parts.count == 2 && parts[0].utf8.count == 10 ? parts[0] + "T" + parts[1].filter { $0 != " " } : text[...]
    let isHourAlone = iso.utf8.count > 13 && (iso.dropLast(2).last == "+" || iso.dropLast(2).last == "-")
    return Moment(iso: isHourAlone ? iso + ":00" : String(iso))
  }

  public var fieldValue: Value { .text(iso) }
  public static var leaves: [Leaf] { [Leaf(FieldPath(), .time)] }
}
