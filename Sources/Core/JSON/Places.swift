/// Where each value of a document stands: in what, and as which of its children.
///
/// Built as a whole when the first error asks for a path, in one walk over the nodes; each path then costs no more than its
/// depth. So neither a page that is well nor one whose every row is broken pays more than once.
final class Places: Sendable {
  struct Place {
    /// The container, itself the root when it is 0; -1 for the root.
    var parent: Int32
    /// The node of the member's name, or the position in the array.
    var ordinal: Int32
  }

  private let places: [Place]

  init(of tape: Tape) {
    var places = [Place](repeating: Place(parent: -1, ordinal: 0), count: tape.count)
    for container in 0..<tape.count {
      let node = tape[container]
      guard node.tag == .array || node.tag == .object else { continue }
      var child = container + 1
      var position: Int32 = 0
      while child < Int(node.next) {
        let value = node.tag == .object ? child + 1 : child
        places[value] = Place(parent: Int32(container), ordinal: node.tag == .object ? Int32(child) : position)
        position += 1
        child = Int(tape[value].next)
      }
    }
    self.places = places
  }

  subscript(index: Int) -> Place { places[index] }
}
