extension SearchedText {
  /// Appends what a search sees of a field: its searched texts and whole numbers as one value, and each of a list
  /// as one of its own.
  mutating func append(_ whole: Value, at ways: [ArraySlice<String>]) {
    // Most fields are a text, or have none.
    switch whole {
    case .text(let text) where ways.count == 1 && ways[0].isEmpty:
      append(text)
      return endValue()
    case .null: return
    default: break
    }
    for way in ways {
      switch whole.value(at: way) {
      case .text(let text): append(text)
      case .list(let values): append(each: values)
      case .int(let number): append(String(number))
      case .null, .bool, .double, .decimal, .object: break
      }
    }
    endValue()
  }

  private mutating func append(each values: [Value]) {
    endValue()
    for value in values {
      switch value {
      case .text(let text): append(text)
      case .list(let values): append(each: values)
      case .int(let number): append(String(number))
      case .null, .bool, .double, .decimal, .object: break
      }
      endValue()
    }
  }

  /// The same of a field in a record's JSON.
  mutating func append(_ whole: JSON, at ways: [ArraySlice<String>]) {
    for way in ways {
      var value: JSON? = whole
      for name in way { value = value?[name] }
      guard let value else { continue }
      switch value.kind {
      case .string: value.withText { append(utf8: $0) }
      case .array: append(each: value)
      case .number: append(wholeNumber: value)
      default: break
      }
    }
    endValue()
  }

  private mutating func append(each values: JSON) {
    endValue()
    guard let values = try? values.asArray() else { return }
    for value in values {
      switch value.kind {
      case .string: value.withText { append(utf8: $0) }
      case .array: append(each: value)
      case .number: append(wholeNumber: value)
      default: break
      }
      endValue()
    }
  }

  /// People know whole numbers by their digits; others are measures.
  private mutating func append(wholeNumber number: JSON) {
    let digits = number.raw
    if digits.allSatisfy({ $0 &- 0x30 < 10 || $0 == Byte.minus }) { append(String(decoding: digits, as: UTF8.self)) }
  }
}
