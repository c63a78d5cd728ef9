/// Names of columns, changed where two would be the same to a reader that does not tell small letters from capitals.
struct UniqueNames {
  private(set) var names: [String] = []

  init(_ wanted: [String]) {
    var used: Set<String> = []
    // Names that are different as they are stay so, whatever another is changed to.
    let others = Set(wanted.map { $0.lowercased() })
    for name in wanted {
      var (free, number) = (name, 2)
      while used.contains(free.lowercased()) || number > 2 && others.contains(free.lowercased()) {
        free = "\(name) \(number)"
        number += 1
      }
      used.insert(free.lowercased())
      names.append(free)
    }
  }
}
