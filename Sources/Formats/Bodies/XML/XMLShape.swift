package import AggregatorCore

/// The form of an element and of those in it, as the paths of a source need it. So an element has the same form however often it comes.
///
///     feed.entry[*].link[0].@href    entry and link are lists, and a link is an object
package struct XMLShape: Sendable, Hashable {
  /// True for a list, even of one element.
  package var isList = false
  /// True for an object, even without attributes.
  package var isObject = false
  /// True for the text of the element, even beside attributes.
  package var isText = false
  /// The elements in it, by their names with prefixes.
  package var members: [String: XMLShape] = [:]

  package init() {}

  /// Notes that a path leads from here to a value: to a list, to a text, or to anything.
  package mutating func note(_ path: some Collection<ValuePath.Step>, isList: Bool = false, isText: Bool = false) {
    switch path.first {
    case nil:
      self.isList = self.isList || isList
      self.isText = self.isText || isText
    case .member(let name):
      isObject = true
      if !name.hasPrefix("@"), name != XMLReader.text {
        members[name, default: XMLShape()].note(path.dropFirst(), isList: isList, isText: isText)
      }
    case .element, .each:
      self.isList = true
      note(path.dropFirst(), isList: isList, isText: isText)
    }
  }

  /// The shape of a document of which nothing is known: elements are lists where one of them comes twice, and objects where one of them has
  /// attributes or elements.
  init(guessing bytes: Bytes) throws {
    var reader = try XMLReader(bytes)
    var open: [(name: String, shape: XMLShape, counts: [String: Int])] = [("", XMLShape(), [:])]
    func close() {
      guard let (name, shape, _) = open.popLast() else { return }
      open[open.count - 1].shape.members[name] = shape
    }
    while let node = try reader.next() {
      switch node {
      case .open(let name, let isEmpty, let attributes):
        let last = open.count - 1
        if last == 0, name.lowercased() == "html" { throw XMLReader.isHTML }
        open[last].shape.isObject = true
        open[last].counts[name, default: 0] += 1
        var shape = open[last].shape.members[name] ?? XMLShape()
        // The rows of a feed are a list, even in a feed of one.
        let isOfFeed =
          (open[last].name == "channel" || open[last].name == "rdf:RDF") && name == "item"
          || open[last].name == "feed" && name == "entry"
        shape.isList = shape.isList || isOfFeed || open[last].counts[name, default: 0] > 1
        shape.isObject = shape.isObject || !attributes.isEmpty
        open.append((name, shape, [:]))
        if isEmpty { close() }
      case .close: close()
      case .text: break
      }
    }
    self = open[0].shape
  }
}
