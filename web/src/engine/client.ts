// Asks the engine, which runs in a worker.
import type { Methods, Refusal } from './types';

export interface Question {
  id: number;
  method: string;
  params: string;
}

export interface Reply {
  id: number;
  /** JSON: `{"ok": …}` or `{"error": …}`. */
  answer?: string;
  /** The engine itself is broken. */
  failure?: string;
}

/** A request that the engine refused, with what is wrong and where. */
export class RefusedError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

type Waiting = { resolve: (value: never) => void; reject: (error: Error) => void };

export class EngineClient {
  #worker: Worker | undefined;
  #waiting = new Map<number, Waiting>();
  #next = 0;

  /** Answers a request; rejects with a `RefusedError` when the engine refuses it. */
  request<M extends keyof Methods>(method: M, params: Methods[M][0]): Promise<Methods[M][1]> {
    const id = this.#next++;
    const question: Question = { id, method, params: JSON.stringify(params) };
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: never) => void, reject });
      this.#start().postMessage(question);
    });
  }

  /** Ends whatever runs: all requests under way are rejected, and all launches are forgotten. */
  cancel(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#fail('cancelled');
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    worker.addEventListener('message', (event: MessageEvent<Reply>) => this.#receive(event.data));
    worker.addEventListener('error', (event) => this.#fail(event.message || 'the engine stopped'));
    this.#worker = worker;
    return worker;
  }

  #receive(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) return;
    this.#waiting.delete(reply.id);
    if (reply.answer === undefined) {
      waiting.reject(new Error(reply.failure));
      return;
    }
    const whole = JSON.parse(reply.answer) as { ok: never; error?: Refusal };
    if (whole.error) waiting.reject(new RefusedError(whole.error));
    else waiting.resolve(whole.ok);
  }

  #fail(message: string): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(new Error(message));
  }
}

export const engine = new EngineClient();
