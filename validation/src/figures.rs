//! The published numbers: tables of `figures/`, built into the program.
//!
//! A table is comma-separated with a head; lines that begin with `#` say where it comes from.

use crate::rig::RigError;
use crate::target::Role;

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// File name, for messages.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// One row of a table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    file: &'static str,
    line: usize,
    head: &'static str,
    text: &'static str,
}

impl Table {
    /// The rows in order.
    pub fn rows(self) -> impl Iterator<Item = Row> {
        let mut lines = self.text.lines().enumerate().filter(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let head = lines.next().map_or("", |(_, line)| line);
        lines.map(move |(line, text)| Row {
            file: self.file,
            line: line + 1,
            head,
            text,
        })
    }
}

impl Row {
    /// The text of a column.
    ///
    /// # Errors
    /// When there is no such column in the row.
    pub fn text(&self, column: &str) -> Result<&'static str, RigError> {
        let place = self.head.split(',').position(|name| name.trim() == column);
        let found = place.and_then(|place| self.text.split(',').nth(place));
        found
            .map(str::trim)
            .ok_or_else(|| self.wrong(format!("no `{column}`")))
    }

    /// The number in a column.
    ///
    /// # Errors
    /// When there is none.
    pub fn number(&self, column: &str) -> Result<f64, RigError> {
        let text = self.text(column)?;
        let parsed = text.parse();
        parsed.map_err(|_| self.wrong(format!("`{column}` is `{text}`, not a number")))
    }

    /// What the figure was used for, from the column `role`.
    ///
    /// # Errors
    /// When it says neither.
    pub fn role(&self) -> Result<Role, RigError> {
        match self.text("role")? {
            "calibration" => Ok(Role::Calibration),
            "test" => Ok(Role::Test),
            other => Err(self.wrong(format!("`role` is `{other}`"))),
        }
    }

    /// Something is wrong with this row.
    pub fn wrong(&self, problem: String) -> RigError {
        RigError::Figures {
            file: self.file,
            problem: format!("line {}: {problem}", self.line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Table = Table {
        file: "t.csv",
        text: "# whence\ndevice,cycles,role\n\nv100,28,calibration\na100,x,test\n",
    };

    #[test]
    fn columns_are_found_by_name() {
        let rows: Vec<Row> = TABLE.rows().collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].text("device").unwrap(), "v100");
        assert_eq!(rows[0].number("cycles").unwrap(), 28.0);
        assert_eq!(rows[0].role().unwrap(), Role::Calibration);
    }

    #[test]
    fn what_is_missing_is_named_with_its_line() {
        let row = TABLE.rows().nth(1).unwrap();
        let error = row.number("cycles").unwrap_err().to_string();
        assert_eq!(
            error,
            "figures/t.csv: line 5: `cycles` is `x`, not a number"
        );
        let error = row.text("watts").unwrap_err().to_string();
        assert_eq!(error, "figures/t.csv: line 5: no `watts`");
    }
}
