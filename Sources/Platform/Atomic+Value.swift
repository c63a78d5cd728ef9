package import Synchronization

extension Atomic where Value == Bool {
  /// The value; all threads see its changes in the same order.
  package var value: Bool {
    get { load(ordering: .sequentiallyConsistent) }
    nonmutating set { store(newValue, ordering: .sequentiallyConsistent) }
  }
}

extension Atomic where Value == Int32 {
  /// The value; all threads see its changes in the same order.
  package var value: Int32 {
    get { load(ordering: .sequentiallyConsistent) }
    nonmutating set { store(newValue, ordering: .sequentiallyConsistent) }
  }
}
