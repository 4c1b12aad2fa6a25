import { join, resolve } from 'node:path';
import { openDatabase, sqlText } from '../recording/duckdb.ts';
import { copyParquet } from './copy-parquet.ts';
import { runTableSql } from './run-views.ts';

/**
 * Writes the tables of a stored run as Parquet, and answers with the files: `trades.parquet`,
 * `orders.parquet`, `fills.parquet` and `equity.parquet`. Money is DECIMAL(38,10) and exact, figures are
 * DOUBLE, times are UTC. Each file is there when it is whole; one that is there is replaced. Throws
 * `DATA_UNUSABLE`.
 */
export async function writeRunParquet(run: string, folder: string): Promise<readonly string[]> {
  const database = await openDatabase();
  try {
    const result = [join(resolve(run), 'result.json')];
    const tables = {
      trades: ofOneRun(runTableSql('round_trips', result)),
      orders: ofOneRun(runTableSql('orders', result)),
      fills: ofOneRun(runTableSql('fills', result)),
      equity: equitySql(join(resolve(run), 'equity.csv')),
    };
    const paths: string[] = [];
    for (const [name, sql] of Object.entries(tables)) {
      const path = join(folder, `${name}.parquet`);
      await copyParquet(database, sql, path);
      paths.push(path);
    }
    return paths;
  } finally {
    database.close();
  }
}

function ofOneRun(tableSql: string): string {
  return `SELECT * EXCLUDE (run) FROM (${tableSql})`;
}

function equitySql(path: string): string {
  return `FROM read_csv([${sqlText(path)}], header = true, auto_detect = false,
    columns = {time: 'TIMESTAMP', equity: 'DOUBLE', drawdown: 'DOUBLE', is_exposed: 'BOOLEAN'})`;
}
