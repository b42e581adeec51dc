// A real small model behind llama.cpp's API: `node server.mjs MODEL.gguf [CONTEXT] [MOST_TOKENS]`, run where npm has
// installed node-llama-cpp. Prints `ready PORT`. One slot: requests wait for each other, as in `llama-server -np 1`.
// `GET /stats` returns the requests so far with their times, token counts and the largest number at once.
import http from "node:http";
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";
import path from "node:path";

const home = createRequire(path.join(process.cwd(), "package.json"));
const llama3 = await import(pathToFileURL(home.resolve("node-llama-cpp")).href);
const {getLlama, LlamaChatSession} = llama3;
const [file, size = "4096", most = "100000"] = process.argv.slice(2);
const CONTEXT = Number(size), MOST = Number(most), NAME = "smollm2-135m";

const llama = await getLlama({gpu: false, logLevel: "error"});
const model = await llama.loadModel({modelPath: file});
const context = await model.createContext({contextSize: CONTEXT, sequences: 1, threads: 1});
const sequence = context.getSequence();
const calls = [];
let open = 0, mostOpen = 0, turn = Promise.resolve();

function send(answer, status, body) {
    const text = JSON.stringify(body);
    answer.writeHead(status, {"content-type": "application/json", "content-length": Buffer.byteLength(text)});
    answer.end(text);
}

function stream(answer, part, end = false) {
    if (!answer.headersSent) answer.writeHead(200, {"content-type": "text/event-stream"});
    answer.write(`data: ${JSON.stringify(part)}\n\n`);
    if (end) answer.end("data: [DONE]\n\n");
}

async function complete(body, aborted, answer) {
    const prompt = body.messages.map((one) => one.content).join("\n");
    const input = model.tokenize(prompt).length + 40;
    if (input >= CONTEXT)
        return [400, {error: {code: 400, type: "exceed_context_size_error", n_prompt_tokens: input, n_ctx: CONTEXT,
            message: `request (${input} tokens) exceeds the available context size (${CONTEXT} tokens), try increasing it`}}];
    const schema = body.response_format?.json_schema?.schema;
    const grammar = schema && await llama.createGrammarForJsonSchema(schema);
    const session = new LlamaChatSession({contextSequence: sequence, autoDisposeSequence: false});
    const limit = Math.min(body.max_tokens ?? 512, CONTEXT - input, MOST);
    const started = Date.now();
    const meta = await session.promptWithMeta(prompt, {
        maxTokens: limit, temperature: body.temperature ?? 0.2, grammar, signal: aborted, stopOnAbortSignal: true,
        onTextChunk: (text) => body.stream && stream(answer, {choices: [{index: 0, delta: {content: text}}]})
    });
    const output = model.tokenize(meta.responseText).length;
    calls.push({seconds: (Date.now() - started) / 1000, input, output, end: meta.stopReason, prompt, text: meta.responseText});
    session.dispose({disposeSequence: false});
    const reason = meta.stopReason === "maxTokens" ? "length" : "stop";
    const usage = {prompt_tokens: input, completion_tokens: output, total_tokens: input + output};
    if (body.stream) return stream(answer, {choices: [{index: 0, delta: {}, finish_reason: reason}], usage}, true);
    return [200, {id: "1", object: "chat.completion", model: NAME, usage,
        choices: [{index: 0, message: {role: "assistant", content: meta.responseText}, finish_reason: reason}]}];
}

const server = http.createServer((request, answer) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
        if (request.url === "/v1/models")
            return send(answer, 200, {object: "list", data: [{id: NAME, object: "model", meta: {n_ctx_train: 8192}}]});
        if (request.url === "/props")
            return send(answer, 200, {total_slots: 1, default_generation_settings: {n_ctx: CONTEXT}, model_path: file});
        if (request.url === "/stats") return send(answer, 200, {calls, most_at_once: mostOpen});
        if (request.url !== "/v1/chat/completions") return send(answer, 404, {error: {code: 404, message: "File Not Found"}});
        const gone = new AbortController();
        answer.on("close", () => {
            open--;
            if (!answer.writableEnded) gone.abort();
        });
        mostOpen = Math.max(mostOpen, ++open);
        const before = turn;
        let done;
        turn = new Promise((resolve) => { done = resolve; });
        await before;
        try {
            const body = JSON.parse(Buffer.concat(parts).toString());
            const told = gone.signal.aborted ? null : await complete(body, gone.signal, answer);
            if (told) send(answer, ...told);
        } catch (error) {
            if (!answer.headersSent) send(answer, 500, {error: {code: 500, message: String(error)}});
        } finally {
            done();
        }
    });
});
server.listen(0, "127.0.0.1", () => console.log(`ready ${server.address().port}`));
