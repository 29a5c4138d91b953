//! Tables as the contract lays them out (cli §A0.1), and read back.

/// A table with its header: widths count the header, whose last cell is followed by a blank in place of a tab.
pub(super) fn table(header: &[&str], rows: &[&[&str]]) -> String {
    let all: Vec<&[&str]> = [header].into_iter().chain(rows.iter().copied()).collect();
    let widths = widths(&all);
    let header: Vec<String> = header.iter().zip(&widths).map(|(cell, &width)| pad(cell, width)).collect();
    format!("{} \n{}", header.join("\t"), body(rows, &widths))
}

/// Rows alone, as wide as they need to be.
pub(super) fn rows(rows: &[&[&str]]) -> String {
    body(rows, &widths(rows))
}

/// The cells of a printed table, header first, without the blanks that fill them. A line that begins in the middle of a
/// cell is joined to the row it belongs to: its first cell, or the one after the namespace, is empty.
pub(super) fn cells(printed: &str) -> Vec<Vec<String>> {
    let mut table: Vec<Vec<String>> = Vec::new();
    for line in printed.lines() {
        let line: Vec<String> = line.split('\t').map(|cell| cell.trim_end().to_owned()).collect();
        let continues = line.len() > 1 && line.iter().filter(|cell| !cell.is_empty()).count() == 1;
        match table.last_mut().filter(|_| continues) {
            Some(row) => {
                for (cell, more) in row.iter_mut().zip(line).filter(|(_, more)| !more.is_empty()) {
                    *cell = format!("{cell}\n{more}");
                }
            }
            None => table.push(line),
        }
    }
    table
}

fn body(rows: &[&[&str]], widths: &[usize]) -> String {
    let mut text = String::new();
    for row in rows {
        let height = row.iter().map(|cell| cell.split('\n').count()).max().unwrap_or_default();
        for line in 0..height {
            for (cell, &width) in row.iter().zip(widths) {
                text.push_str(&pad(cell.split('\n').nth(line).unwrap_or_default(), width));
                text.push('\t');
            }
            text.push('\n');
        }
    }
    text
}

fn widths(rows: &[&[&str]]) -> Vec<usize> {
    let columns = rows.iter().map(|row| row.len()).max().unwrap_or_default();
    let width = |cell: &str| cell.split('\n').map(|line| line.chars().count()).max().unwrap_or_default();
    (0..columns)
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or_default()
        })
        .collect()
}

fn pad(cell: &str, width: usize) -> String {
    format!("{cell:width$}")
}
