import Synchronization

/// One piece of a document. The nodes are in the order of the text: one for each value, and one before it for each member's name.
struct Node {
  enum Tag: UInt8 { case null, `false`, `true`, integer, fraction, string, key, array, object }

  struct Flags: OptionSet {
    let rawValue: UInt8
    /// A string with escapes, which cannot be copied as it is.
    static let escaped = Flags(rawValue: 1)
    /// A string with bytes beyond ASCII.
    static let wide = Flags(rawValue: 2)
  }

  /// The position in the document; for a string, that after its quote.
  var offset: UInt32
  /// The number of bytes of a string or a number, or of elements of an array. For an object, the index of its last name; 0 if it is empty.
  var length: UInt32
  /// The index of the node after this value and everything inside it. For a name, the index of the object's name before it, 0 for the
  /// first. For a container that is still open, the container around it.
  var next: UInt32
  var tag: Tag
  var flags: Flags = []

  var isEmptyText: Bool { tag == .string && length == 0 }
}

/// A document that was read: its bytes and its nodes.
///
/// Unchecked, because it has pointers and variables. Only `read` and `reread` write them, before the tape is shared, or for a
/// ``JSON/Reader`` that holds the only reference. So access need not be checked for exclusivity, which would cost more than reading a node.
/// `pathSteps` and `misfits` are behind locks.
@usableFromInline final class Tape: @unchecked Sendable {
  /// The largest document whose offsets fit into the nodes.
  static let sizeLimit = Int(Int32.max)

  @exclusivity(unchecked) private(set) var bytes: [UInt8]
  /// The address of `bytes`, which changes only when a document is read. Going through the array would retain it for each string.
  @exclusivity(unchecked) private var start: UnsafePointer<UInt8>?
  @exclusivity(unchecked) private var storage = NodeStorage()
  /// The step to each value, computed when the first error needs it.
  private let pathSteps = Mutex<PathSteps?>(nil)
  /// The values that readers found not to fit their fields, until somebody takes them.
  private let misfits = Mutex<[Misfit]>([])
  private let misfitCount = Atomic(0)

  init(reading bytes: [UInt8]) throws {
    self.bytes = bytes
    try read()
  }

  init() { bytes = [] }

  deinit { storage.nodes.deallocate() }

  var count: Int { storage.count }

  /// The node at an index that comes from a node or the parser, and so is within the tape.
  subscript(index: Int) -> Node {
    @inline(__always) get {
      assert(index < storage.count)
      return storage.nodes[index]
    }
  }

  /// Passes the bytes of a string or a number, as they are written in the document, to `body`.
  @inline(__always) func withBytes<Result>(
    of node: Node, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    defer { withExtendedLifetime(self) {} }
    assert(Int(node.offset) + Int(node.length) <= bytes.count)
    return try body(UnsafeBufferPointer(start: start.map { $0 + Int(node.offset) }, count: Int(node.length)))
  }

  /// Reads another document into the same buffers. Only for a caller that holds the only reference.
  func reread(copying text: UnsafeBufferPointer<UInt8>, from start: TextLocation = TextLocation()) throws {
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: text)
    try read(from: start)
  }

  func reread(_ bytes: [UInt8]) throws {
    self.bytes = bytes
    try read()
  }

  private func read(from location: TextLocation = TextLocation()) throws {
    guard bytes.count <= Self.sizeLimit else { throw SourceError(.malformed, "the response is larger than 2 GB") }
    storage.reserve(min(bytes.count / 12 + 8, NodeStorage.most))
    pathSteps.withLock { $0 = nil }
    if hasMisfits { _ = takeMisfits() }
    start = bytes.withUnsafeBufferPointer { $0.baseAddress }
    guard let start, !bytes.isEmpty else { throw ParseFailure(offset: 0, expected: "a value").error(in: bytes) }
    var parser = Parser(start: start, end: start + bytes.count, at: start, storage: storage)
    let failure = parser.run()
    storage = parser.storage
    if storage.isFull {
      throw SourceError(.malformed, "the JSON has more than \(NodeStorage.most / 1_000_000) million values")
    }
    if let failure { throw failure.error(in: bytes, from: location) }
  }

  /// A value that does not fit the field for which it was read.
  struct Misfit {
    let field: String
    /// The index of the object that the field was read from.
    let holder: Int
    let sample: String?
    let type: String?
  }

  /// True when misfits were noted and not taken. Asked for every row, so it takes no lock.
  var hasMisfits: Bool { misfitCount.load(ordering: .relaxed) > 0 }

  func note(_ misfit: Misfit) {
    misfits.withLock { $0.append(misfit) }
    misfitCount.add(1, ordering: .relaxed)
  }

  func takeMisfits() -> [Misfit] {
    let taken = misfits.withLock { misfits in
      defer { misfits = [] }
      return misfits
    }
    misfitCount.subtract(taken.count, ordering: .relaxed)
    return taken
  }

  func pathStep(to index: Int) -> PathSteps.Step {
    pathSteps.withLock { steps in
      let known = steps ?? PathSteps(of: self)
      steps = known
      return known.steps[index]
    }
  }
}

/// The memory of the nodes. It has one owner at a time: the tape, or the parser while it runs.
struct NodeStorage {
  /// The most values and names in a document, which take 64 MB. A document with more is meant to fill its reader's memory.
  static let most = 4_000_000

  private(set) var nodes = UnsafeMutablePointer<Node>.allocate(capacity: 8)
  private(set) var capacity = 8
  var count = 0

  /// Makes room for nodes that replace the existing ones.
  mutating func reserve(_ wanted: Int) {
    count = 0
    guard wanted > capacity else { return }
    nodes.deallocate()
    nodes = .allocate(capacity: wanted)
    capacity = wanted
  }

  /// True when there were too many nodes. The nodes that the parser is about to add still have room.
  var isFull: Bool { count > Self.most }

  @inline(__always) mutating func append(_ node: Node) {
    (nodes + count).initialize(to: node)
    count &+= 1
  }

  /// Returns storage with the same nodes and more room, usually twice as much. It replaces this one, whose memory is freed.
  func larger() -> NodeStorage {
    var larger = self
    larger.capacity = capacity < Self.most ? min(capacity * 2, Self.most) : capacity + 1024
    larger.nodes = .allocate(capacity: larger.capacity)
    larger.nodes.moveInitialize(from: nodes, count: count)
    nodes.deallocate()
    return larger
  }
}
