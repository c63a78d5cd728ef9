@_exported public import Authoring
// Authors import only this module. The modules for recording, replaying and verifying are separate, because the command links only those.
@_exported public import Recordings
@_exported public import Services
