import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { lstat, realpath, stat } from "node:fs/promises"
import { connect } from "node:net"
import { dirname, isAbsolute, join } from "node:path"

// {{CONSTANTS}}

// Bowline inside OpenCode. At the events above it says in OpenCode's own words what is about to happen, and does what it is answered:
//
//   deny      before a tool or a prompt: it is refused with this text; after a tool: the text is added to the result
//   args      before a tool: it runs with this input
//   output    after a tool: the model gets this as its result
//   context   the model gets it: with a prompt, with a tool's result, or with whichever of the two comes next in the session
//   message   the person gets it, as a toast
//
// It asks the daemon over its socket, and starts `bowline-hook` where no daemon answers. Where that fails too, a tool call is refused
// with the reason, unless Bowline was installed with `--on-failure open`. No answer is waited for longer than the limit of its event.

// ---- What starts Bowline at an event: a program with its arguments, or a line for the shell.

function starting(entry) {
  const line = typeof entry === "string" ? entry : undefined
  const [program, ...args] = line === undefined ? entry : []
  const words = line === undefined ? args : line.split(" ")
  const option = (name, usual) => {
    const word = words.findLast((it) => it.startsWith(`--${name}=`))
    return word === undefined ? usual : word.slice(name.length + 3)
  }
  const env = { ...process.env }
  for (const word of words) {
    const [name, ...value] = word.split("=")
    if (name === "--home") {
      const home = value.join("=")
      Object.assign(env, { HOME: home, XDG_CONFIG_HOME: `${home}/.config`, XDG_DATA_HOME: `${home}/.local/share` })
    } else if (name === "--env") {
      env[value[0]] = value.slice(1).join("=")
    }
  }
  // The daemon knows by this that the event may reach it by the user's own plugin as well.
  if (line !== undefined) env.BOWLINE_SCOPE = "project"
  return { line, program, args, env, onFailure: option("on-failure", "ask"), seconds: Number(option("timeout", "60")) }
}

// ---- Asking.

class TooLate extends Error {}

/// What Bowline says about an event. Never fails, and never takes longer than its limit.
async function ask(event, said, directory) {
  let reason
  try {
    const how = starting(ENTRIES[event])
    const deadline = Date.now() + how.seconds * 1000
    try {
      const payload = Buffer.from(JSON.stringify({ event, ...said }))
      const call = {
        ...how,
        event,
        payload,
        deadline,
        cwd: directory ?? process.cwd(),
        id: `${Date.now().toString(16).padStart(12, "0")}-${randomBytes(8).toString("hex")}`,
      }
      try {
        return understood(await askDaemon(call))
      } catch (error) {
        if (error instanceof TooLate) throw error
      }
      return understood(await askProgram(call))
    } catch (error) {
      reason = error?.message ?? String(error)
      if (how.onFailure === "open") return {}
      return unjudged(event, how.onFailure, reason)
    }
  } catch {
    return unjudged(event, "ask", "the plugin does not know how to ask")
  }
}

/// The answer if nobody could decide.
function unjudged(event, onFailure, reason) {
  const text = `Bowline could not judge this: ${reason}. \`bowline doctor\` tells what is wrong`
  const refuses = event === "tool.execute.before" || (event === "chat.message" && onFailure === "closed")
  return refuses ? { deny: text } : { message: text }
}

/// What an answer says; an error if it is none.
function understood({ exit, stdout, stderr }) {
  if (exit === 2) return { deny: stderr.trim() }
  if (exit !== 0) throw new Error(`the answer has exit code ${exit}`)
  if (stdout.trim() === "") return {}
  const said = JSON.parse(stdout)
  const isObject = (it) => typeof it === "object" && it !== null && !Array.isArray(it)
  if (!isObject(said)) throw new Error("the answer is no object")
  for (const name of ["deny", "output", "context", "message"]) {
    if (name in said && typeof said[name] !== "string") throw new Error(`\`${name}\` of the answer is no text`)
  }
  if ("args" in said && !isObject(said.args)) throw new Error("`args` of the answer is no object")
  return said
}

/// Waits for something, but not longer than this.
function within(ms, promise) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("it takes too long")), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

// ---- The daemon.

async function askDaemon(call) {
  if (call.env.BOWLINE_DAEMON === "off") throw new Error("BOWLINE_DAEMON is off")
  if (call.payload.length > MAX_PAYLOAD) throw new Error("the event is too long")
  const socket = await within(ACKNOWLEDGE_WITHIN_MS, findSocket(call.env))
  return converse(socket, call)
}

/// The daemon's socket, if nobody else can have put it there: the whole environment is sent through it.
async function findSocket(env) {
  const user = process.getuid()
  const socket = await socketPath(env, user)
  const owners = [(await lstat(socket)).uid, (await lstat(dirname(socket))).uid]
  if (owners[0] !== user || ![0, user].includes(owners[1])) throw new Error("the socket is somebody else's")
  return socket
}

/// `$BOWLINE_SOCKET`, else a folder of this user and home: in `$XDG_RUNTIME_DIR`, `/run/user/UID`, `$TMPDIR` or `/tmp`.
async function socketPath(env, user) {
  const fits = (path) => isAbsolute(path) && Buffer.byteLength(path) < 104
  if (env.BOWLINE_SOCKET) {
    if (!fits(env.BOWLINE_SOCKET)) throw new Error("BOWLINE_SOCKET cannot be used")
    return env.BOWLINE_SOCKET
  }
  const home = env.HOME ? homeNumber(env.HOME) : ""
  const ours = home ? `bowline-${user}-${home}` : `bowline-${user}`
  const isFolder = async (path) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false
  const ofUser = `/run/user/${user}`
  const places = [
    env.XDG_RUNTIME_DIR && join(env.XDG_RUNTIME_DIR, "bowline", home),
    (await isFolder(ofUser)) && join(ofUser, "bowline", home),
    env.TMPDIR && join(env.TMPDIR, ours),
  ]
  const sockets = places.filter(Boolean).map((place) => join(place, "daemon.sock"))
  return sockets.find(fits) ?? `/tmp/${ours}/daemon.sock`
}

/// FNV-1a of the parts of a path, each ended by a slash.
function homeNumber(home) {
  const parts = home.split("/").filter((part) => part !== "" && part !== ".")
  let digest = 0xcbf29ce484222325n
  for (const byte of Buffer.from(["/", ...parts].map((part) => `${part}/`).join(""))) {
    digest = ((digest ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  }
  return digest.toString(16).padStart(16, "0")
}

/// One call over a connection of its own: a line, the environment and the payload; then an acknowledgement, signs of life, the reply.
function converse(socket, call) {
  return new Promise((resolve, reject) => {
    const connection = connect({ path: socket })
    let arrived = ""
    let pieces = 0
    let ours
    let gives_signs
    let timer
    const end = (settle, value) => {
      clearTimeout(timer)
      connection.removeAllListeners().on("error", () => {})
      // A daemon that comes to itself later drops its work.
      connection.destroy()
      settle(value)
    }
    const fail = (message) => end(reject, new Error(message))
    const patience = (ms, late) => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const before = pieces
        // OpenCode may have been busy: what has arrived meanwhile counts.
        setImmediate(() => pieces === before && late())
      }, Math.max(ms, 1))
    }
    const await_reply = () => {
      const left = call.deadline - Date.now()
      if (gives_signs && left > SILENT_AFTER_MS) return patience(SILENT_AFTER_MS, () => fail("the daemon hangs"))
      patience(left, () => end(reject, new TooLate("the daemon is too slow")))
    }
    const acknowledged = (line) => {
      if (line.bowline !== PROTOCOL) return fail("the daemon speaks another version of the protocol")
      ours = runsOurProgram(call, line.pid)
      gives_signs = line.signs === true
      await_reply()
    }
    const heard = (line) => {
      if (line.call !== call.id) return fail("the reply is for another call")
      const { exit, stdout, stderr } = line
      if (exit === undefined && "sign" in line) return await_reply()
      if (!Number.isInteger(exit) || typeof stdout !== "string" || typeof stderr !== "string") return fail("the reply is broken")
      end(resolve, ours.then((it) => {
        if (!it) throw new Error("the daemon runs another program")
        return { exit, stdout, stderr }
      }))
    }
    connection.setEncoding("utf8")
    connection.on("error", (error) => fail(`the daemon cannot be reached (${error.code ?? error.message})`))
    connection.on("close", () => fail("the daemon has left"))
    connection.on("data", (piece) => {
      pieces += 1
      arrived += piece
      const lines = arrived.split("\n")
      arrived = lines.pop()
      for (const line of lines) {
        let said
        try {
          said = JSON.parse(line)
        } catch {
          return fail("the daemon is not understood")
        }
        if (typeof said !== "object" || said === null) return fail("the daemon is not understood")
        if (ours === undefined) acknowledged(said)
        else heard(said)
      }
    })
    patience(ACKNOWLEDGE_WITHIN_MS, () => fail("nobody acknowledges the call"))
    const env = Buffer.from(Object.entries(call.env).map(([name, value]) => `${name}=${value}\0`).join(""))
    const line = {
      bowline: PROTOCOL,
      client: VERSION,
      call: call.id,
      on_failure: call.onFailure,
      env: env.length,
      payload: call.payload.length,
      agent: "opencode",
      event: call.event,
      signs: true,
      waits: Math.max(Math.floor(call.seconds - 1), 1),
      cwd: call.cwd,
    }
    connection.write(Buffer.concat([Buffer.from(`${JSON.stringify(line)}\n`), env, call.payload]))
  })
}

/// Whether the daemon runs the `bowline` beside the installed `bowline-hook`, and not the one before an upgrade. Where that cannot be
/// known, it does.
async function runsOurProgram(call, pid) {
  if (call.program === undefined || !Number.isInteger(pid)) return true
  const seen = (path) => stat(path).catch(() => undefined)
  const hook = await realpath(call.program).catch(() => call.program)
  const [beside, running, own] = await Promise.all(
    [join(dirname(hook), "bowline"), `/proc/${pid}/exe`, "/proc/self/exe"].map(seen),
  )
  if (!beside || !own) return true
  return running?.dev === beside.dev && running?.ino === beside.ino
}

// ---- Without the daemon: `bowline-hook` decides, or knows how to.

function askProgram(call) {
  return new Promise((resolve, reject) => {
    const left = Math.max(Math.ceil((call.deadline - Date.now()) / 1000), 1)
    // The same call: it is recorded once, whoever decides it.
    const more = [`--timeout=${left}`, `--call-id=${call.id}`]
    const [program, args] =
      call.line === undefined ? [call.program, [...call.args, ...more]] : ["/bin/sh", ["-c", `${call.line} ${more.join(" ")}`]]
    const child = spawn(program, args, { cwd: call.cwd, stdio: "pipe" })
    const said = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8")
      child[name].on("data", (piece) => (said[name] += piece))
    }
    const timer = setTimeout(() => {
      // It is left to end its own hooks.
      for (const stream of child.stdio) stream.destroy()
      child.unref()
      reject(new TooLate("`bowline-hook` is too slow"))
    }, left * 1000 + 1000)
    const settle = (done) => (value) => {
      clearTimeout(timer)
      done(value)
    }
    child.on("error", (error) => settle(reject)(new Error(`\`bowline-hook\` cannot be started (${error.code ?? error.message})`)))
    child.on("close", (exit) => settle(resolve)({ exit, ...said }))
    // A program that does not read its input ends by itself.
    child.stdin.on("error", () => {})
    child.stdin.end(call.payload)
  })
}

// ---- OpenCode's side.

/// Where the user's own plugin is, a project's has nothing to do.
const USERS = Symbol.for("bowline.opencode")
const IS_USERS = Object.values(ENTRIES).every(Array.isArray)

/// More sessions, calls and questions than this are not remembered.
const MOST = 1000

function remember(map, key, value) {
  if (map.size >= MOST) map.delete(map.keys().next().value)
  map.set(key, value)
  return value
}

export const Bowline = async ({ client, directory } = {}) => {
  const loaded = Date.now()
  if (IS_USERS) globalThis[USERS] = true
  const isIdle = () => !IS_USERS && globalThis[USERS] === true
  /// Sessions by id, as promises: whose they are, and what waits for their models.
  const sessions = new Map()
  /// Calls that have begun, with what waits for their results.
  const calls = new Map()
  /// Permissions that a person is asked for.
  const questions = new Map()

  const tell = async (event, said) => {
    if (!(event in ENTRIES)) return {}
    const answer = await ask(event, said, directory)
    if (answer.message) show(answer.message)
    return answer
  }

  const show = (message) => {
    try {
      const shown = client?.tui?.showToast?.({ body: { title: "Bowline", message, variant: "info" } })
      shown?.catch?.(() => {})
    } catch {
      // There is no terminal.
    }
  }

  /// What is said of every event of a session.
  const about = (session) => ({
    sessionID: session.id,
    ...(session.parent && { parentID: session.parent }),
    ...(session.agent && { agent: session.agent }),
    directory,
  })

  /// A session that has begun. One that nobody has met before begins now.
  const meet = async (id, info) => {
    const session = await identify(id, info)
    await session.begun
    return session
  }

  const identify = (id, info) => sessions.get(id) ?? remember(sessions, id, lookUp(id, info))

  const lookUp = async (id, info) => {
    await undefined
    const session = { id, contexts: [] }
    let known = info
    try {
      known ??= (await within(1000, client.session.get({ path: { id } })))?.data
      if (typeof known?.parentID === "string") {
        session.parent = known.parentID
        session.agent = known.agent
        const parent = await within(2000, identify(known.parentID))
        session.parent = parent.parent ?? parent.id
      }
    } catch {
      // Its own id says enough.
    }
    if (typeof id === "string") session.begun = begin(session, known)
    return session
  }

  const begin = async (session, known) => {
    const isNamed = typeof known?.title === "string" && !known.title.startsWith("New session")
    const { context } = await tell("session.created", {
      ...about(session),
      ...(isNamed && { title: known.title }),
      ...(known?.time?.created < loaded && { resumed: true }),
    })
    if (context) session.contexts.push(context)
  }

  /// What waits for the model of a session, once.
  const waiting = (session) => session.contexts.splice(0)

  /// What happened on OpenCode's own bus.
  const heard = async ({ type, properties = {} }) => {
    const { sessionID, info, part } = properties
    switch (type) {
      case "session.created":
        await meet(info?.id ?? sessionID, info)
        return
      case "session.compacted": {
        const session = await meet(sessionID)
        const { context } = await tell(type, about(session))
        if (context) session.contexts.push(context)
        return
      }
      case "session.idle": {
        const session = await meet(sessionID)
        // It became so by an error, of which was told.
        if (session.failed) return
        await tell(type, { ...about(session), ...(session.text && { text: session.text }) })
        return
      }
      case "session.error": {
        if (sessionID === undefined) return
        const { name, data } = properties.error ?? {}
        // The person stopped it.
        if (name === "MessageAbortedError") return
        const session = await meet(sessionID)
        session.failed = true
        await tell(type, { ...about(session), error: { name, message: data?.message } })
        return
      }
      case "session.deleted": {
        const session = await meet(info?.id ?? sessionID, info)
        if (!session.parent) await tell(type, about(session))
        sessions.delete(session.id)
        return
      }
      case "permission.asked": {
        const { permission, metadata, patterns, tool } = properties
        const asked = { tool: permission, args: metadata ?? {}, patterns, callID: tool?.callID }
        remember(questions, properties.id, asked)
        await tell(type, { ...about(await meet(sessionID)), ...asked })
        return
      }
      case "permission.replied": {
        const asked = questions.get(properties.requestID)
        questions.delete(properties.requestID)
        if (properties.reply !== "reject" || !asked) return
        calls.delete(asked.callID)
        await tell(type, { ...about(await meet(sessionID)), ...asked, reason: "refused by the person" })
        return
      }
      case "message.part.updated": {
        if (part.type === "text") {
          ;(await meet(part.sessionID)).text = part.text
          return
        }
        // A tool that fails has no `tool.execute.after`.
        const { tool, args } = calls.get(part.callID) ?? {}
        if (!calls.delete(part.callID)) return
        await tell(type, { ...about(await meet(part.sessionID)), tool, callID: part.callID, args, error: part.state.error })
        return
      }
    }
  }

  const isOfInterest = ({ type, properties } = {}) => {
    if (type !== "message.part.updated") return type in ENTRIES
    const part = properties?.part
    // Only what the model wrote has a time; the end of it is the whole text.
    if (part?.type === "text") return part.time?.end !== undefined && !part.synthetic
    return part?.type === "tool" && part.state?.status === "error" && calls.has(part.callID)
  }

  /// What OpenCode's bus says is said in its order.
  let bus = Promise.resolve()
  let disposed = false

  return {
    event: async (input) => {
      try {
        if (isIdle() || disposed || !isOfInterest(input?.event)) return
        const { event } = input
        const { info } = event.properties ?? {}
        if (event.type === "session.created" && info?.id) identify(info.id, info)
        bus = bus.then(() => heard(event)).catch(() => {})
      } catch {
        // It is not what it used to be: nothing can be said of it.
      }
    },

    "chat.message": async (input, output) => {
      if (isIdle()) return
      const session = await meet(input?.sessionID)
      session.failed = false
      const contexts = []
      const parts = Array.isArray(output?.parts) ? output.parts : []
      // A sub-agent is prompted by another agent.
      if (!session.parent) {
        const texts = parts.filter((part) => part?.type === "text" && !part.synthetic).map((part) => part.text)
        const { providerID, modelID } = output?.message?.model ?? {}
        const said = await tell("chat.message", {
          ...about(session),
          prompt: texts.join("\n"),
          agent: output?.message?.agent,
          ...(modelID && { model: `${providerID}/${modelID}` }),
        })
        if (said.deny !== undefined) {
          // OpenCode knows no other way to refuse a prompt than an error of its own, which does not say why.
          show(said.deny)
          throw new Error(said.deny || "Bowline refused this prompt")
        }
        if (said.context) contexts.push(said.context)
      }
      for (const text of [...waiting(session), ...contexts]) {
        const id = `prt_bowline${randomBytes(10).toString("hex")}`
        parts.push({ id, sessionID: session.id, messageID: output.message?.id, type: "text", text, synthetic: true })
      }
    },

    "tool.execute.before": async (input, output) => {
      if (isIdle()) return
      const { tool, callID } = input ?? {}
      const args = output?.args
      const session = await meet(input?.sessionID)
      const said = await tell("tool.execute.before", { ...about(session), tool, callID, args })
      if (said.deny !== undefined) throw new Error(said.deny || "Bowline refused this call")
      if (said.args) {
        // OpenCode runs this very object. What the new input lacks must not stay.
        for (const name of Object.keys(args)) if (!(name in said.args)) delete args[name]
        Object.assign(args, said.args)
      }
      remember(calls, callID, { tool, args, context: said.context })
    },

    "tool.execute.after": async (input, output) => {
      if (isIdle()) return
      const { tool, callID } = input ?? {}
      const call = calls.get(callID)
      calls.delete(callID)
      const session = await meet(input?.sessionID)
      // A server's tool gives back a list of parts.
      const parts = Array.isArray(output?.content) ? output.content : undefined
      const said = await tell("tool.execute.after", {
        ...about(session),
        tool,
        callID,
        args: input?.args ?? call?.args,
        title: output?.title,
        output: parts ?? output?.output,
        metadata: output?.metadata,
        ...(output?.isError && { isError: true }),
      })
      const more = [call?.context, ...waiting(session), said.deny, said.context].filter(Boolean)
      if (parts) {
        if (said.output !== undefined) parts.splice(0, parts.length, { type: "text", text: said.output })
        for (const text of more) parts.push({ type: "text", text })
      } else if (output && (more.length > 0 || said.output !== undefined)) {
        output.output = [said.output ?? output.output ?? "", ...more].join("\n\n")
      }
    },

    "experimental.session.compacting": async (input, output) => {
      if (isIdle()) return
      const session = await meet(input?.sessionID)
      const { context } = await tell("experimental.session.compacting", about(session))
      if (context && Array.isArray(output?.context)) output.context.push(context)
    },

    // So that `bowline effort` and others know in whose session they run.
    "shell.env": async (input, output) => {
      if (isIdle() || typeof input?.sessionID !== "string" || !output?.env) return
      const session = await meet(input.sessionID)
      output.env.BOWLINE_SESSION = session.parent ?? session.id
    },

    dispose: async () => {
      if (isIdle()) return
      disposed = true
      await within(5000, bus).catch(() => {})
      const ends = [...sessions.values()].map(async (session) => {
        const it = await session
        if (!it.parent) await tell("dispose", about(it))
      })
      await within(5000, Promise.allSettled(ends)).catch(() => {})
    },
  }
}
