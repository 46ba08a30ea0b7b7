// The engine's thread: the page never waits for a run.
import init, { Engine } from './pkg/engine.js';
import type { Question, Reply } from './client';

const started = init().then(() => new Engine());

addEventListener('message', async (event: MessageEvent<Question>) => {
  const { id, method, params } = event.data;
  let reply: Reply;
  try {
    const engine = await started;
    reply = { id, answer: engine.request(method, params) };
  } catch (error) {
    reply = { id, failure: String(error) };
  }
  postMessage(reply);
});
