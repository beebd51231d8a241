import { errorOf, Unavailable } from "./errors.js";
import { ROUTES } from "./routes.js";
import type { operations } from "./schema.js";

/** The name of an operation. */
export type Operation = keyof typeof ROUTES;

type Known<T> = [T] extends [never] ? unknown : T;
type Json<R> = [R] extends [{ content: { "application/json": infer B } }] ? B : unknown;
type Body<N extends Operation> = operations[N] extends { requestBody?: infer R } ? Known<Json<NonNullable<R>>> : unknown;
type Part<N extends Operation, P extends "path" | "query"> = operations[N]["parameters"] extends { [K in P]?: infer V }
  ? Known<NonNullable<V>>
  : unknown;
type Flat<T> = { [K in keyof T]: T[K] };

/** What an operation takes: the names of its path, query string and body, flat, each once. */
export type Input<N extends Operation> = Flat<Part<N, "path"> & Part<N, "query"> & Body<N>>;

type Content<R> = R extends { content: { "application/json": infer A } } ? A : R extends { content: { "application/octet-stream": unknown } } ? Uint8Array : never;
type Done<R> = R extends { 200: infer A } ? Content<A> : R extends { 201: infer A } ? Content<A> : never;

/** What an operation answers. */
export type Answer<N extends Operation> = Done<operations[N]["responses"]>;

/** Who asks: each name narrows what the credential may do, and never widens it. */
export interface Binding {
  tenant?: string;
  user?: string;
  agent?: string;
  session?: string;
  task?: string;
  groups?: string[];
  clearance?: number;
  private?: boolean;
}

/** Where the server is, what is shown to it, and how long it is waited for. */
export interface Options {
  /** Such as http://127.0.0.1:8080. */
  url: string;
  /** A token of `beebread key create`. */
  token?: string;
  /** Milliseconds for one request (75,000 when left out). */
  timeout?: number;
  /** How often what may be repeated is tried again when the server does not answer (3 when left out). */
  retries?: number;
  /** Another fetch, for instance one that goes through a proxy. */
  fetch?: typeof fetch;
}

const FIRST_WAIT = 100;
const READS = new Set<Operation>(["query", "explain", "append"]);

/** The connection to one server, shared by all clients bound from one. */
export class Wire {
  readonly #url: string;
  readonly #token: string;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(options: Options) {
    const url = new URL(options.url);
    if (url.protocol !== "http:" && url.protocol !== "https:") throw new TypeError(`${options.url} is no address of a server`);
    if (url.username || url.password) throw new TypeError("an address holds no password: give the token as token");
    this.#url = url.href.replace(/\/+$/, "");
    this.#token = options.token ?? "";
    this.#timeout = options.timeout ?? 75_000;
    this.#retries = options.retries ?? 3;
    this.#fetch = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** The answer to an operation, asked as `who`. */
  async call<N extends Operation>(name: N, who: Binding, input: Record<string, unknown>, signal?: AbortSignal): Promise<Answer<N>> {
    const response = await this.send(name, who, input, { Accept: "application/json" }, signal);
    if (!response.ok) throw await errorOf(response);
    if (response.headers.get("content-type")?.startsWith("application/octet-stream"))
      return new Uint8Array(await response.arrayBuffer()) as Answer<N>;
    return (await response.json()) as Answer<N>;
  }

  /** The response to an operation, asked again where that can do no harm. What never `ends`, a stream, has no time in which it must. */
  async send(
    name: Operation,
    who: Binding,
    input: Record<string, unknown>,
    headers: Record<string, string>,
    signal?: AbortSignal,
    ends = true,
  ): Promise<Response> {
    const [method, template] = ROUTES[name];
    const left = { ...input };
    const path = template.replace(/\{(\w+)\}/g, (_, part: string) => {
      const value = String(left[part] ?? "");
      delete left[part];
      if (!value) throw new TypeError(`${part} must not be empty`);
      return encodeURIComponent(value).replaceAll(".", "%2E");
    });
    const reads = method === "GET" || method === "DELETE";
    const query = reads ? pairs(left) : "";
    const request: RequestInit = {
      method,
      redirect: "error",
      headers: {
        ...headers,
        "Beebread-Bind": pairs({ ...who }),
        ...(this.#token ? { Authorization: `Bearer ${this.#token}` } : {}),
        ...(reads ? {} : { "Content-Type": "application/json" }),
      },
      ...(reads ? {} : { body: JSON.stringify(left) }),
    };
    const safe = method === "GET" || READS.has(name);
    for (let attempt = 0; ; attempt++) {
      const last = attempt >= this.#retries;
      const until = [...(signal ? [signal] : []), ...(ends ? [AbortSignal.timeout(this.#timeout)] : [])];
      try {
        const response = await this.#fetch(`${this.#url}${path}${query && `?${query}`}`, {
          ...request,
          ...(until.length ? { signal: AbortSignal.any(until) } : {}),
        });
        if (response.status !== 503 || last || !(safe || response.headers.has("retry-after"))) return response;
      } catch (error) {
        if (signal?.aborted) throw error;
        if (last || !safe) throw new Unavailable(`${this.#url} did not answer: ${reason(error)}`, "unavailable", 0);
      }
      await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT * 3 ** attempt));
    }
  }
}

function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** Names and values as in a query string; a list is its name several times. */
function pairs(values: Record<string, unknown>): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) found.append(name, typeof one === "object" ? JSON.stringify(one) : String(one));
  return found.toString();
}
