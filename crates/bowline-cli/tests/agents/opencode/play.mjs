// Plays OpenCode for its plugin: loads it and calls its hooks, as standard input says, and prints what came of it.
//
// {"plugins": [path], "directory": path, "sessions": {id: info}, "steps": [[hook, input, output]]}
// A text `"circular"` or `"bigint"` as arguments of a tool stands for what JSON cannot say.
import { readFileSync } from "node:fs"
import { pathToFileURL } from "node:url"

const { plugins, directory, sessions = {}, steps } = JSON.parse(readFileSync(0, "utf8"))
const toasts = []
const client = {
  session: { get: async ({ path }) => ({ data: sessions[path.id] }) },
  tui: { showToast: async ({ body }) => toasts.push(body.message) },
}
const hooks = []
for (const plugin of plugins) {
  for (const load of Object.values(await import(pathToFileURL(plugin)))) {
    hooks.push(await load({ client, directory, worktree: directory }))
  }
}
const circular = { command: "ls" }
circular.circular = circular
const unsayable = { circular, bigint: { command: "ls", limit: 10n } }
const results = []
for (const [hook, input, output] of steps) {
  if (unsayable[output?.args]) output.args = unsayable[output.args]
  let error
  try {
    for (const it of hooks) await it[hook](input, output)
  } catch (thrown) {
    error = thrown.message
  }
  const isSayable = !Object.values(unsayable).includes(output?.args)
  results.push({ hook, output: isSayable ? output : undefined, error })
}
console.log(JSON.stringify({ results, toasts }))
