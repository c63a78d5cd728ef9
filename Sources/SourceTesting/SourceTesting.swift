@_exported public import Authoring
// Authors import this one module: what records, replays and verifies is a module of its own only because the command links that part.
@_exported public import Recordings
@_exported public import Services
