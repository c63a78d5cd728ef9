// Prints what the JSON reader makes of each document, for Scripts/json-differential.
//
// In: documents, each after its length as four bytes, little end first. Out: one line for each, the value as compact JSON, or
// `invalid: ` and the error. Doubles are written as their bits, `{"f":"4045000000000000"}`, so that equal lines mean equal values.
import AggregatorCore
import Platform

guard let input = fdopen(0, "r"), let output = fdopen(1, "w") else { exit(1) }

/// Returns the next `count` bytes of the standard input; nil at its end.
@MainActor func bytes(_ count: Int) -> [UInt8]? {
  var bytes = [UInt8](repeating: 0, count: count)
  guard fread(&bytes, 1, count, input) == count else { return nil }
  return bytes
}

func exact(_ value: Value) -> Value {
  switch value {
  case .double(let double): .object([Member(name: "f", value: .text(String(double.bitPattern, radix: 16)))])
  case .list(let values): .list(values.map(exact))
  case .decimal(let decimal): exact(.double(decimal.double))
  case .object(let members): .object(members.map { Member(name: $0.name, value: exact($0.value)) })
  default: value
  }
}

var reader = JSON.Reader()
while let length = bytes(4) {
  guard let document = bytes(length.reversed().reduce(0) { $0 << 8 | Int($1) }) else { break }
  var writer = JSONWriter()
  var line: [UInt8]
  do {
    let value = try JSON(document).value
    // Reused buffers must give the same value as fresh ones.
    guard try reader.read(document[...]).value == value else { fatalError("the reader differs from the document") }
    writer.write(exact(value))
    line = writer.take()
  } catch {
    line = Array("invalid: \(error)".utf8)
  }
  line.append(0x0A)
  fwrite(line, 1, line.count, output)
}
fclose(output)
