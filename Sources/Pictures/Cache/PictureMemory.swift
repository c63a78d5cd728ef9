import AggregatorCore

/// The pictures used last, as many as the bytes allow.
struct PictureMemory {
  private struct Slot {
    let picture: Picture
    var lastUse: Int
  }

  let limit: Int
  private(set) var bytes = 0
  private var slots: [WebAddress: Slot] = [:]
  private var uses = 0

  init(limit: Int) { self.limit = limit }

  var count: Int { slots.count }

  /// The picture from there, which counts as used now.
  mutating func take(_ address: WebAddress) -> Picture? {
    uses += 1
    slots[address]?.lastUse = uses
    return slots[address]?.picture
  }

  mutating func keep(_ picture: Picture, from address: WebAddress) {
    drop(address)
    guard picture.bytes.count <= limit else { return }
    uses += 1
    slots[address] = Slot(picture: picture, lastUse: uses)
    bytes += picture.bytes.count
    while bytes > limit, let oldest = slots.min(by: { $0.value.lastUse < $1.value.lastUse }) { drop(oldest.key) }
  }

  mutating func clear() {
    slots = [:]
    bytes = 0
  }

  private mutating func drop(_ address: WebAddress) {
    if let slot = slots.removeValue(forKey: address) { bytes -= slot.picture.bytes.count }
  }
}
