/// A value that a search looks at, in a record or in its JSON.
protocol SearchedValue {
  /// Returns the value at the end of a path through objects; nil if it is missing.
  func value(along way: ArraySlice<String>) -> Self?

  /// Appends itself if it is a text or a whole number. A list appends each element as a value of its own.
  func append(to text: inout SearchedText)
}

extension SearchedText {
  /// Appends what a search sees of a field: its searched texts and whole numbers as one value, and each element of a list as its own value.
  mutating func append(_ whole: some SearchedValue, at ways: [ArraySlice<String>]) {
    for way in ways {
      // Most fields are plain values, with an empty path.
      if way.isEmpty { whole.append(to: &self) } else { whole.value(along: way)?.append(to: &self) }
    }
    endValue()
  }

  fileprivate mutating func append(each values: some Sequence<some SearchedValue>) {
    endValue()
    for value in values {
      value.append(to: &self)
      endValue()
    }
  }
}

extension Value: SearchedValue {
  func value(along way: ArraySlice<String>) -> Value? { value(at: way) }

  func append(to text: inout SearchedText) {
    switch self {
    case .text(let own): text.append(own)
    case .list(let values): text.append(each: values)
    case .int(let number): text.append(String(number))
    case .null, .bool, .double, .decimal, .object: break
    }
  }
}

extension JSON: SearchedValue {
  func value(along way: ArraySlice<String>) -> JSON? {
    // A view of each value on the way would have to be counted.
    var value = Int(index)
    for name in way {
      guard let next = tape.find(name, in: value) else { return nil }
      value = next
    }
    return JSON(tape, value)
  }

  func append(to text: inout SearchedText) {
    switch kind {
    case .string: withText { text.append(utf8: $0) }
    case .array: text.append(each: elements)
    case .number:
      // People know whole numbers by their digits; other numbers are measurements.
      let digits = raw
      if digits.allSatisfy({ $0 &- 0x30 < 10 || $0 == Byte.minus }) { text.append(String(decoding: digits, as: UTF8.self)) }
    default: break
    }
  }
}
