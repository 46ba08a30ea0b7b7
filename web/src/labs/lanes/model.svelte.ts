// The state of the Lanes lab: a program, its run, and how far one has stepped.
import { engine, RefusedError } from '../../engine/client';
import type { Divergence, Recorded, Refusal, State } from '../../engine/types';
import { rows, warps, type Warp } from './cells';
import { open as openLocal, PREFIX, served } from './local';
import { first, noLaunch, scenario, scenarios, type Launch, type Scenario } from './scenarios';
import { choice, integer, pack, unpack } from '../../lib/link';

/** The launch that this lab steps, among those the engine keeps. */
const VIEW = 'lanes';
/** How long typing rests before the program runs again. */
const TYPING_MS = 350;

export class LanesModel {
  scenario = $state('');
  language = $state<'lesson' | 'ptx'>('lesson');
  text = $state('');
  divergence = $state<Divergence>('ipdom');
  launch = $state<Launch>(noLaunch);

  run = $state.raw<Recorded | null>(null);
  refusal = $state.raw<Refusal | null>(null);
  busy = $state(false);

  /** Issues made so far. */
  position = $state(0);
  /** The warp that is followed; all for `null`. */
  warp = $state.raw<Warp | null>(null);
  lane = $state(0);
  now = $state.raw<State | null>(null);
  before = $state.raw<State | null>(null);

  playing = $state(false);
  /** Issues a second. */
  speed = $state(2);

  readonly source = $derived(this.text.split('\n'));
  /** Issues of the warp that is followed. */
  readonly rows = $derived(this.run ? rows(this.run, this.warp) : []);
  readonly warps = $derived(this.run ? warps(this.run) : []);
  /** How many of `rows` have been made. */
  readonly made = $derived(this.rows.filter((issue) => issue < this.position).length);

  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;
  #local = $state.raw<Scenario | undefined>(undefined);

  constructor(params: URLSearchParams) {
    const wanted = scenario(params.get('scenario') ?? '') ?? scenario(first) ?? scenarios[0];
    if (wanted) this.#take(wanted);
    // A link to a program of the folder has its text, unless it is as it lies there.
    const file = params.get('scenario') ?? '';
    if (file.startsWith(PREFIX) && !params.has('text') && served()) {
      void this.open(file);
      return;
    }
    const packed = params.get('text');
    const own = packed === null ? null : unpack(packed);
    if (own !== null) {
      this.text = own;
      this.language = choice(params, 'language', ['lesson', 'ptx']);
    }
    if (params.has('divergence')) this.divergence = choice(params, 'divergence', ['ipdom', 'its']);
    for (const key of ['device', 'grid', 'block', 'args'] as const) {
      const value = params.get(key);
      if (value !== null) this.launch = { ...this.launch, [key]: value };
    }
    this.lane = integer(params, 'lane', [0, 63], 0);
    const warp = /^(\d+)\.(\d+)$/.exec(params.get('warp') ?? '');
    if (warp) this.warp = { block: Number(warp[1]), warp: Number(warp[2]) };
    void this.start(integer(params, 'at', [0, 1 << 20], 0));
  }

  #take(wanted: Scenario) {
    this.scenario = wanted.id;
    this.language = wanted.language;
    this.text = wanted.text;
    this.divergence = wanted.divergence;
    this.launch = wanted.launch;
    this.warp = null;
  }

  /** Parameters of the address that lead back here. */
  get params(): Record<string, string | number | null> {
    const known = this.original;
    const own = known?.text !== this.text;
    const launch = known?.launch ?? noLaunch;
    const other = (key: keyof Launch) =>
      this.language === 'ptx' && launch[key] !== this.launch[key] ? this.launch[key] : null;
    return {
      scenario: this.scenario,
      text: own ? pack(this.text) : null,
      language: own ? this.language : null,
      divergence: known?.divergence === this.divergence ? null : this.divergence,
      device: other('device'),
      grid: other('grid'),
      block: other('block'),
      args: other('args'),
      warp: this.warp ? `${this.warp.block}.${this.warp.warp}` : null,
      lane: this.lane || null,
      at: this.position || null,
    };
  }

  async open(id: string) {
    const wanted = await this.#find(id);
    if (!wanted) return;
    this.#take(wanted);
    await this.start(0);
  }

  /** A scenario of the page, or of the folder behind it. */
  async #find(id: string): Promise<Scenario | undefined> {
    if (!id.startsWith(PREFIX)) return scenario(id);
    try {
      this.#local = await openLocal(id.slice(PREFIX.length));
      return this.#local;
    } catch (error) {
      this.refusal = { message: String(error), unsupported: false, diagnostics: [] };
      return undefined;
    }
  }

  /** The scenario as it was opened, before it was edited. */
  get original(): Scenario | undefined {
    return scenario(this.scenario) ?? (this.#local?.id === this.scenario ? this.#local : undefined);
  }

  edit(text: string) {
    if (text === this.text) return;
    this.text = text;
    this.pause();
    // Whatever still runs is of the text before.
    this.#asked++;
    this.busy = true;
    this.#timer = setTimeout(() => void this.start(0), TYPING_MS);
  }

  set(change: { divergence?: Divergence; launch?: Partial<Launch> }) {
    if (change.divergence) this.divergence = change.divergence;
    if (change.launch) this.launch = { ...this.launch, ...change.launch };
    void this.start(this.position);
  }

  /** Runs the program anew and goes to a position of the run. */
  async start(position: number) {
    clearTimeout(this.#timer);
    this.pause();
    const asked = ++this.#asked;
    this.busy = true;
    try {
      const program = { view: VIEW, text: this.text, divergence: this.divergence };
      const { device, grid, block, args } = this.launch;
      const run = await (this.language === 'lesson'
        ? engine.request('lesson', program)
        : engine.request('ptx', {
            ...program,
            device,
            kernel: null,
            grid,
            block,
            shared_bytes: 0,
            args: args.split(/\s+/).filter((word) => word !== ''),
          }));
      if (asked !== this.#asked) return;
      this.run = run;
      this.refusal = null;
      if (this.warp && !this.warps.some((one) => one.block === this.warp?.block && one.warp === this.warp.warp)) {
        this.warp = null;
      }
      if (this.lane >= run.warp_width) this.lane = 0;
      await this.go(Math.min(position, run.issues.line.length));
    } catch (error) {
      if (asked !== this.#asked) return;
      this.run = null;
      this.now = null;
      this.before = null;
      this.position = 0;
      this.refusal =
        error instanceof RefusedError
          ? error.refusal
          : { message: String(error), unsupported: false, diagnostics: [] };
    } finally {
      if (asked === this.#asked) this.busy = false;
    }
  }

  /** Goes to the state after `position` issues. */
  async go(position: number) {
    const run = this.run;
    if (!run) return;
    this.position = Math.max(0, Math.min(position, run.issues.line.length));
    const at = this.position;
    const earlier = Math.max(0, at - 1);
    const [now, before] = await Promise.all([
      engine.request('state', { view: VIEW, position: at }),
      engine.request('state', { view: VIEW, position: earlier }),
    ]);
    if (run !== this.run || at !== this.position) return;
    this.now = now;
    this.before = before.warp === now.warp && before.block === now.block ? before : null;
  }

  /** Goes over so many issues of the warp that is followed; back, for less than 0. */
  step(by: number) {
    const target = Math.max(0, Math.min(this.rows.length, this.made + by));
    const last = this.rows[target - 1];
    return this.go(last === undefined ? 0 : last + 1);
  }

  end() {
    return this.step(this.rows.length);
  }

  play() {
    if (this.playing) return this.pause();
    this.playing = true;
    const again = async () => {
      if (!this.playing) return;
      if (this.made >= this.rows.length) return this.pause();
      await this.step(1);
      if (this.playing) this.#timer = setTimeout(again, 1000 / this.speed);
    };
    if (this.made >= this.rows.length) void this.go(0).then(again);
    else void again();
  }

  pause() {
    this.playing = false;
    clearTimeout(this.#timer);
  }

  follow(warp: Warp | null) {
    this.warp = warp;
    if (warp && this.made === 0 && this.position > 0) void this.step(1);
  }
}
