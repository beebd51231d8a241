/** A memory on a Beebread server: the operations of its OpenAPI document, typed by it. */
import { errorOf, Invalid, NotFound } from "./errors.js";
import type { components } from "./schema.js";
import { type Answer, type Binding, type Input, type Operation, type Options, Wire } from "./wire.js";

export * from "./errors.js";
export type { Answer, Binding, Input, Operation, Options } from "./wire.js";

type Schemas = components["schemas"];
export type Event = Schemas["Event"];
export type EventDraft = Schemas["EventDraft"];
export type Memory = Schemas["Memory"];
export type Session = Schemas["Session"];
export type StoredRecord = Event | Memory | Session;
export type State = Schemas["State"];
export type Item = Schemas["Item"];
export type Recall = Schemas["Recall"];
export type Pack = Schemas["Pack"];
export type Change = Schemas["Change"];

/** An input without the names that a binding gives, and without those given by position. */
type Rest<N extends Operation, Given extends string = never> = Omit<Input<N>, keyof Binding | Given>;
type Listing = "list" | "sessions" | "state_list";

export class Beebread {
  readonly #wire: Wire;
  readonly #who: Binding & { nobody?: true };

  /** A client of a server; names of `Binding` among the options say for whom it asks. */
  constructor(options: Options & Binding);
  /** @internal */
  constructor(options: Binding & { nobody?: true }, wire: Wire);
  constructor(options: (Options & Binding) | (Binding & { nobody?: true }), wire?: Wire) {
    if (wire) {
      this.#wire = wire;
      this.#who = options;
    } else {
      const { url, token, timeout, retries, fetch, ...who } = options as Options & Binding;
      this.#wire = new Wire({ url, token, timeout, retries, fetch });
      this.#who = who;
    }
  }

  /** The same memory as seen by this user, agent, session or task. Who is bound to a user and asks for another one sees nothing. */
  bind(who: Binding): Beebread {
    const strange = (["tenant", "user"] as const).some((name) => this.#who[name] && who[name] && this.#who[name] !== who[name]);
    return new Beebread({ ...this.#who, ...who, ...(strange ? { nobody: true as const } : {}) }, this.#wire);
  }

  /** Any operation of the server by its name, with exactly what it takes and gives. */
  call<N extends Operation>(name: N, input: Input<N>, signal?: AbortSignal): Promise<Answer<N>> {
    return this.#wire.call(name, this.#who, input as Record<string, unknown>, signal);
  }

  /** Keep one step of a run; what is sent twice under one id is kept once. The id under which it is kept. */
  async record(kind: EventDraft["kind"], text = "", more: Omit<EventDraft, "kind" | "text"> = {}): Promise<string> {
    const id = more.id ?? crypto.randomUUID();
    const kept = await this.append([{ ...more, kind, text, id }]);
    const why = Object.values(kept.rejected)[0];
    if (why) throw new Invalid(why, "invalid", 422, [id]);
    return id;
  }

  /** Keep steps of runs, durably when this returns. */
  append(events: (EventDraft | Event)[], aliases?: Record<string, string>): Promise<Answer<"append">> {
    return this.call("append", { events, ...(aliases ? { aliases } : {}) } as Input<"append">);
  }

  /** Keep a memory; the current one of the same key is superseded. */
  write(text: string, more: Omit<Rest<"write">, "text"> = {} as Rest<"write">): Promise<Answer<"write">> {
    return this.call("write", { ...more, text } as Input<"write">);
  }

  /** What fits `text` best, with reasons. */
  query(text: string, options: Omit<Rest<"query">, "text" | "query"> = {}): Promise<Recall> {
    return this.call("query", { ...options, text } as Input<"query">);
  }

  /** A `messages` array of at most `budget` tokens for the next model call. */
  context(text: string, budget = 4000, more: Omit<Rest<"context">, "text" | "query" | "budget"> = {}): Promise<Pack> {
    return this.call("context", { ...more, query: text, budget } as Input<"context">);
  }

  /** One record; undefined for an unknown one and for somebody else's alike. */
  get(id: string): Promise<StoredRecord | undefined> {
    return found(this.call("get", { id } as Input<"get">)) as Promise<StoredRecord | undefined>;
  }

  /** Change a memory; its earlier version stays in its history. */
  update(id: string, change: Omit<Rest<"update", "id">, "id">): Promise<Memory> {
    return this.call("update", { ...change, id } as Input<"update">);
  }

  /** Forget a record and what rests on it alone; the ids that are gone. */
  async forget(id: string, more: { reason?: string; erase?: boolean } = {}): Promise<readonly string[]> {
    return (await this.call("forget", { ...more, id } as Input<"forget">)).ids;
  }

  /** Every record that answers the filters, page by page. */
  list(filters: Omit<Rest<"list">, "text" | "cursor"> = {}): AsyncGenerator<StoredRecord> {
    return this.#pages("list", filters);
  }

  /** Every session. */
  sessions(filters: Omit<Rest<"sessions">, "text" | "cursor"> = {}): AsyncGenerator<Session> {
    return this.#pages("sessions", filters);
  }

  /** Every state of a task. */
  states(filters: Omit<Rest<"state_list">, "text" | "cursor"> = {}): AsyncGenerator<State> {
    return this.#pages("state_list", filters);
  }

  /** The state of a task; undefined where there is none. */
  state(key: string): Promise<State | undefined> {
    return found(this.call("state_get", { key } as Input<"state_get">)) as Promise<State | undefined>;
  }

  /** Set fields of a state, each alone; a stale `version` is a Conflict. */
  setState(key: string, fields: Record<string, unknown>, more: { step?: string; version?: number } = {}): Promise<State> {
    return this.call("state_set", { ...more, key, fields } as unknown as Input<"state_set">);
  }

  /** What changed, from `cursor` on and then as it happens, until `signal` ends it. What was forgotten comes as gone. */
  async *changes(options: { cursor?: string; signal?: AbortSignal } = {}): AsyncGenerator<Change & { cursor: string }> {
    const accept = { Accept: "text/event-stream" };
    const response = await this.#wire.send("changes", this.#who, { cursor: options.cursor }, accept, options.signal, false);
    if (!response.ok || !response.body) throw await errorOf(response);
    let left = "";
    for await (const part of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const blocks = (left + part).split("\n\n");
      left = blocks.pop() ?? "";
      for (const block of blocks) {
        const fields = new Map(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
        const data = fields.get("data");
        if (data) yield { ...(JSON.parse(data) as Change), cursor: fields.get("id") ?? "" };
      }
    }
  }

  /** Return when what was kept has its vectors. */
  async settle(): Promise<void> {
    while ((await this.call("settle", { timeout: 30 } as Input<"settle">)).waiting);
  }

  async *#pages<N extends Listing>(name: N, filters: object): AsyncGenerator<Answer<N>["items"][number]> {
    let cursor = "";
    do {
      const page: { items: Answer<N>["items"]; cursor: string } = await this.call(name, { ...filters, cursor } as unknown as Input<N>);
      yield* page.items;
      cursor = page.cursor;
    } while (cursor);
  }
}

/** The answer, or undefined where there is no such thing. */
async function found<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}
