// What a process takes that opens DuckDB and asks it one thing, without anything of sarraf.
import duckdb from '@duckdb/node-bindings';

const database = await duckdb.open(':memory:');
const connection = await duckdb.connect(database);
await duckdb.query(connection, 'select 1');
duckdb.disconnect_sync(connection);
duckdb.close_sync(database);
