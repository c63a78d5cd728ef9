@_exported public import Authoring
// Authors import only this module. Recording, replaying and verifying are modules of their own because the command links only them.
@_exported public import Recordings
@_exported public import Services
