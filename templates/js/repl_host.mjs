// Runs the JavaScript of one VP and keeps its state from call to call.
//
// `node repl_host.mjs FD`: FD is a socket on which each line in is {"code": …} and each line out answers it with
// {"shown": text or null, "failed": bool}; a first line out says that all is ready. What the code prints goes to stdout
// and stderr. The process lives as long as the socket is open at the other end.
//
// Code is evaluated as a browser's console does it (V8's REPL mode): `await` works at the top level, and `const`, `let`
// and `class` may be declared again.

import { Session } from 'node:inspector';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import process from 'node:process';
import readline from 'node:readline';
import util from 'node:util';
import vm from 'node:vm';

const SHOWN_CHARS = 8 * 1024;
const INSPECTED = { depth: 4, maxArrayLength: 100, maxStringLength: SHOWN_CHARS, breakLength: 100 };
const TOKENS = new RegExp(
  [
    /\/\/[^\n]*|\/\*[^]*?\*\//, // comments
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`/, // texts
    /^[ \t]*import\b[ \t]*(?:(?<names>[\w$*{}, \t\n]+?)\s*from\s*)?(?<from>"[^"\n]+"|'[^'\n]+')[ \t]*;?/,
    /(?<![.\w$#])(?<call>import)(?=\s*\()/,
  ].map((one) => one.source).join('|'),
  'gm',
);

const channel = new net.Socket({ fd: Number(process.argv[2]), readable: true, writable: true });
channel.on('error', () => process.exit(0)).on('close', () => process.exit(0));
process.argv.splice(1);

// Node writes to a full pipe later, which would let a loop that prints fill the memory and lose what it printed.
const outputs = [process.stdout, process.stderr];
const writes = outputs.map((output) => output.write.bind(output));
for (const output of outputs) output._handle?.setBlocking?.(true);

const inspector = new Session();
inspector.connect();
let evaluated;
globalThis[Symbol.for('yeaft.keep')] = (value) => { evaluated = value; };
Object.assign(globalThis, {
  require: createRequire(path.join(process.cwd(), 'repl.js')),
  __import: new vm.Script('(name, options) => import(name, options)', {
    importModuleDynamically: vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER, // resolves names from the current folder
  }).runInThisContext(),
});

for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => console.error(`Uncaught in the background: ${described(error)}`));
}

/** Evaluate code, wait for a promise that it gives, and return {shown, failed}. */
async function answer(code) {
  const { result, exceptionDetails } = await post('Runtime.evaluate', {
    expression: withoutImports(code),
    objectGroup: 'answer',
    replMode: true,
  });
  const failure = exceptionDetails?.exception;
  const value = await fetched(failure ?? result);
  await post('Runtime.releaseObjectGroup', { objectGroup: 'answer' });
  if (exceptionDetails) return { shown: described(value), failed: true };
  return { shown: value === undefined ? null : described(value), failed: false };
}

/** The value itself, of which the inspector only gives a description. */
async function fetched({ objectId, value, unserializableValue }) {
  await post('Runtime.callFunctionOn', {
    functionDeclaration: 'value => globalThis[Symbol.for("yeaft.keep")](value)',
    arguments: [{ objectId, value, unserializableValue }],
    executionContextId: 1,
  });
  const kept = evaluated;
  evaluated = undefined;
  return kept;
}

/** Write `import` statements and calls as what also works outside a module. */
function withoutImports(code) {
  return code.replace(TOKENS, (found, ...rest) => {
    const { names, from, call } = rest.at(-1);
    if (call) return '__import';
    return from ? `${names ? `const ${bound(names)} = ` : ''}await __import(${from});` : found;
  });
}

/** `a`, `* as a`, `{a as b}` or `a, {b}` as what stands left of `=`. */
function bound(names) {
  const [, first, rest] = /^(?:([\w$]+)\s*(?:,|$))?([^]*)$/.exec(names.trim());
  const whole = /^\s*\*\s*as\s+([\w$]+)/.exec(rest)?.[1];
  if (whole) return whole;
  const parts = rest.replace(/[{}]/g, '').split(',').map((one) => one.trim().replace(/\s+as\s+/, ': ')).filter(Boolean);
  return `{ ${[...(first ? [`default: ${first}`] : []), ...parts].join(', ')} }`;
}

/** A value as a reader wants to see it; of an error's frames only those of the code. */
function described(value) {
  return util.inspect(value, INSPECTED)
    .replace(/\n\s+at [^\n]*\(node:inspector[^]*?( \{)?(?=\n(?!\s+at )|$)/g, '$1')
    .replace(/\n\s+at [^\n]*?node:internal[^\n]*?( \{)?(?=\n|$)/g, '$1');
}

function post(method, parameters) {
  return new Promise((resolve, reject) => {
    inspector.post(method, parameters, (error, result) => (error ? reject(new Error(error.message)) : resolve(result)));
  });
}

/** Wait until all that was printed is in the pipe. */
async function flushed() {
  for (const write of writes) await new Promise((resolve) => { write('', resolve); });
}

function send(message) {
  channel.write(`${JSON.stringify(message)}\n`);
}

send({});
for await (const line of readline.createInterface({ input: channel, crlfDelay: Infinity })) {
  const { shown, failed } = await answer(JSON.parse(line).code).catch((error) => ({ shown: described(error), failed: true }));
  await flushed();
  send({ shown: shown?.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}…` : shown, failed });
}
