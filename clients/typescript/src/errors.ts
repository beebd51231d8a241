/** What a server, or the way to it, refuses. `type` says what it is: "not-found", "forbidden", "invalid", "conflict", "unavailable", … */
export class BeebreadError extends Error {
  override readonly name: string = "BeebreadError";

  constructor(
    message: string,
    /** The kind of error, the same in every language. */
    readonly type: string,
    /** The HTTP status; 0 when no server answered. */
    readonly status: number,
    /** The records concerned. */
    readonly ids: readonly string[] = [],
    /** What stands there now, where a stale version was refused. */
    readonly current: unknown = undefined,
  ) {
    super(message);
  }
}

/** There is no such thing for this caller; what is somebody else's reads exactly the same. */
export class NotFound extends BeebreadError {
  override readonly name = "NotFound";
}

/** The caller may not do this, or shows no valid key. */
export class Forbidden extends BeebreadError {
  override readonly name = "Forbidden";
}

/** The input cannot be accepted as it is. */
export class Invalid extends BeebreadError {
  override readonly name = "Invalid";
}

/** A stale version, or the same id with other content. */
export class Conflict extends BeebreadError {
  override readonly name = "Conflict";
}

/** The server cannot be reached, or cannot serve now. */
export class Unavailable extends BeebreadError {
  override readonly name = "Unavailable";
}

type Kind = new (message: string, type: string, status: number, ids?: readonly string[], current?: unknown) => BeebreadError;
const BY_STATUS: Record<number, Kind> = { 401: Forbidden, 403: Forbidden, 404: NotFound, 409: Conflict, 412: Conflict, 429: Unavailable };

/** The error that a problem document (RFC 9457) tells of. */
export async function errorOf(response: Response): Promise<BeebreadError> {
  let told: { type?: string; detail?: string; ids?: string[]; current?: unknown } = {};
  try {
    told = (await response.json()) as typeof told;
  } catch {
    // something between here and the server answered
  }
  const status = response.status;
  const kind = BY_STATUS[status] ?? (status >= 400 && status < 500 ? Invalid : Unavailable);
  const type = (told.type ?? "").replace("urn:beebread:", "") || kind.name.toLowerCase();
  return new kind(told.detail ?? `the server answered ${status}`, type, status, told.ids ?? [], told.current);
}
