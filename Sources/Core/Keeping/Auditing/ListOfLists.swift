/// A source whose list may consist of the lists below the records of another one, such as the comments of all posts.
package protocol ListOfLists<Item>: DataSource {
  /// True when its list consists of such lists.
  var hasLists: Bool { get }
  /// Returns the list below one parent, each with the same chance. It asks for one page of parents, and for another one to learn how many
  /// there are. Nil if a parent cannot be found by its place, or if all parents came on one page and their lists can be read in turn within
  /// about `requests`.
  func listBelowRandomParent(by dice: any Dice, within requests: Int) async throws -> (any DataSource<Item>)?
}

extension DataSource {
  /// The source inside all wrappers that has lists below parents; nil if none has.
  var listOfLists: (any ListOfLists<Item>)? {
    var source: any DataSource<Item> = self
    while let wrapper = source as? any Wrapper<Item> { source = wrapper.upstream }
    guard let lists = source as? any ListOfLists<Item>, lists.hasLists else { return nil }
    return lists
  }
}
