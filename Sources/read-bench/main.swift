// How fast a page of hero records becomes records: `read-bench FILE` prints the median of 25 readings.
import AggregatorCore
import Platform

/// The whole file; nil when it cannot be read.
func contents(of path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var block = [UInt8](repeating: 0, count: 1 << 20)
  while true {
    let count = read(descriptor, &block, block.count)
    guard count >= 0 else { return nil }
    if count == 0 { return bytes }
    bytes.append(contentsOf: block[..<count])
  }
}

guard CommandLine.arguments.count == 2, let page = contents(of: CommandLine.arguments[1]) else {
  print("usage: read-bench FILE, a page {\"results\": […]} of hero records")
  exit(64)
}

var reader = JSON.Reader()
var records = 0
var durations: [Duration] = []
for _ in 0..<25 {
  durations.append(
    try ContinuousClock().measure {
      let rows = try reader.read(page).array("results").map(HeroRow.init)
      records = rows.count
    })
}
let seconds = durations.sorted()[durations.count / 2] / .seconds(1)
print("\(Int(Double(page.count) / 1e6 / seconds)) MB/s")
print("\(records) records")
