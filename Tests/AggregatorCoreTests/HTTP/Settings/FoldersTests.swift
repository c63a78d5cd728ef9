import AggregatorCore
import Testing

@Suite struct FoldersTests {
  @Test("folders lie under HOME unless a variable names another place")
  func home() {
    let folders = Folders(environment: ["HOME": "/home/me/", "XDG_STATE_HOME": "/s"])
    #expect(folders.data == "/home/me/.local/share/aggregator")
    #expect(folders.cache == "/home/me/.cache/aggregator")
    #expect(folders.config == "/home/me/.config/aggregator")
    #expect(folders.state == "/s/aggregator")
  }

  @Test("a program with another name has its own folders, except for the requests that a service counts together")
  func program() {
    let folders = Folders(environment: ["HOME": "/h"], program: "ports")
    #expect(folders.data == "/h/.local/share/ports" && folders.cache == "/h/.cache/ports" && folders.config == "/h/.config/ports")
    #expect(folders.state == "/h/.local/state/aggregator")
  }

  @Test("folders that a variable names are found without HOME")
  func withoutHome() {
    let folders = Folders(environment: ["XDG_DATA_HOME": "/d"])
    #expect(folders.data == "/d/aggregator")
    #expect(folders.cache == nil)
  }

  @Test("a folder's variable is ignored if it is empty or relative", arguments: ["", "here", "./here"])
  func relative(value: String) {
    #expect(Folders(environment: ["HOME": "/h", "XDG_DATA_HOME": value]).data == "/h/.local/share/aggregator")
    #expect(Folders(environment: ["HOME": value, "XDG_DATA_HOME": value]).data == nil)
  }
}
