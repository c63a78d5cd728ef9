/// Which list stored records are of, as a store notes it beside them. What nobody noted is nil, and any list's.
public struct ListStamp: Sendable, Hashable {
  /// The address of the service, with the values that make it another list.
  public var address: String?
  /// The digest of all that decides which rows are read, and how.
  public var reading: String?
  /// The salted digest of the key whose holder's list it is.
  public var holder: String?

  /// The stamp of a list; nil is what nobody knows.
  public init(address: String? = nil, reading: String? = nil, holder: String? = nil) {
    (self.address, self.reading, self.holder) = (address, reading, holder)
  }

  /// Whether the rows of the other list were read by another description, so that none of them is one of this list's.
  public func isOutdated(by other: ListStamp) -> Bool {
    if let reading, let new = other.reading { reading != new } else { false }
  }

  /// The stamp as a store keeps it: a JSON object.
  public var text: String {
    let members = [("address", address), ("reading", reading), ("holder", holder)].compactMap { name, text in
      text.map { Member(name: name, value: .text($0)) }
    }
    return String(decoding: Value.object(members).bytes, as: UTF8.self)
  }

  /// Reads ``text``. Older versions noted the address alone, under a name of its own.
  public init?(text: String?, formerAddress: String?) {
    guard let text else {
      guard let formerAddress else { return nil }
      self.init(address: formerAddress)
      return
    }
    let object = try? JSON(Array(text.utf8))
    func member(_ name: String) -> String? { object.flatMap { try? $0.string(name) } }
    self.init(address: member("address"), reading: member("reading"), holder: member("holder"))
  }
}

extension RecordKind {
  /// The keepsake that says which list these records are of.
  public var stampName: String { "\(name) list" }
  /// The keepsake by which older versions remembered the address of these records.
  package var addressName: String { "\(name) address" }
  /// The keepsake that says that a person may have edited these records.
  var editsName: String { "\(name) edits" }
  /// The keepsake that holds a note.
  public func name(of note: RecordNote) -> String {
    switch note {
    case .seen(let reader): seenNames + reader
    case .shape: shapeName
    }
  }

  /// True of a keepsake that is forgotten with these records.
  public func owns(keepsake name: String) -> Bool {
    [stampName, addressName, shapeName].contains(name) || name.hasPrefix(seenNames)
  }

  /// How the names of the keepsakes begin that say what readers saw.
  package var seenNames: String { "\(name) seen " }
  /// The keepsake that says which shape the records are due to have.
  package var shapeName: String { "\(name) shape" }
}

// What a store makes of records whose description has changed.
extension Position {
  /// The beginning of the list, which is another one than it was; what was shown stays shown.
  public var outdated: Position { Position(reading: reading.adding(1), revision: revision.adding(1)) }
}

extension SyncState {
  /// The same where nothing that it stored is used any more: the next sync begins anew, and one that is under way is overtaken.
  public var outdated: SyncState {
    changing(self) { state in
      (state.number, state.cursor, state.watermark) = (number.adding(1), nil, nil)
      (state.verdict, state.wasWhole) = (.partial(.recorded("the description of the list has changed since")), false)
    }
  }
}

extension Moment {
  /// When a record is gone that was read by an earlier description, and has not come since: no sync missed it.
  package static let outdated = Moment(nanoseconds: 0)
}
